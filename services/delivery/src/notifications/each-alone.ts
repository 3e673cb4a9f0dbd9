/**
 * Does the work for each of several retailers or users. If it fails for one, the others do not wait for it.
 * @throws the first failure, at the end
 */
export async function eachAlone<T>(all: Iterable<T>, work: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const one of all) await work(one).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
