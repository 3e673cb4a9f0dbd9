/** Shorter times are noise, such as garbage collection. */
const leastMs = 1;
/** A collection of garbage may spoil several rounds in a row on a busy machine. */
const rounds = 9;

function cpuMs(run: () => unknown): number {
  const begun = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}

/**
 * How many times as much processor time a piece of work needs for `large` as for `small`. Processor time hardly depends
 * on how busy the machine is. The best of several rounds counts, and times too short to compare count as equal.
 */
export function workGrowth<T>(small: T, large: T, work: (input: T) => unknown): number {
  const best = (input: T) => Math.min(...Array.from({ length: rounds }, () => cpuMs(() => work(input))));
  const least = Math.max(leastMs, best(small));
  return Math.max(leastMs, best(large)) / least;
}
