import { startInfrastructure } from './start-infrastructure';

/** `Promise.withResolvers`, which Node 20 does not have. */
function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((...both) => ([resolve, reject] = both));
  return { promise, resolve: (value: T) => resolve(value), reject: (error: Error) => reject(error) };
}

/** A part whose start and stop finish only when the test resolves them. */
function slowPart() {
  const found = deferred<{ stop: () => Promise<void> }>();
  const stopped = deferred<void>();
  const stop = jest.fn(() => stopped.promise);
  return { search: found.promise, isFound: () => found.resolve({ stop }), stop, isStopped: stopped.resolve };
}

const refused = new Error('No MongoDB answers');
const steps = () => new Promise((resolve) => setImmediate(resolve));

it.each(['broker', 'database'])('reports a failure before the other part is found: %s', async (failed) => {
  const reported: Error[] = [];
  const other = slowPart();
  const failure = Promise.reject<never>(refused);
  const [broker, database] = failed === 'broker' ? [failure, other.search] : [other.search, failure];
  const outcome = startInfrastructure(broker, database, (error) => reported.push(error));
  let isOver = false;
  const over = outcome.catch((error: unknown) => error).finally(() => (isOver = true));
  await steps();
  expect([reported, isOver]).toEqual([[refused], false]);
  other.isFound();
  await steps();
  expect(other.stop).toHaveBeenCalledTimes(1);
  expect(isOver).toBe(false);
  other.isStopped();
  expect(await over).toBe(refused);
});

it('reports the first of two failures, once', async () => {
  const reported: Error[] = [];
  const broker = deferred<never>();
  const outcome = startInfrastructure(broker.promise, Promise.reject<never>(refused), (error) =>
    reported.push(error),
  );
  await steps();
  broker.reject(new Error('No RabbitMQ answers'));
  await expect(outcome).rejects.toBe(refused);
  expect(reported).toEqual([refused]);
});

it('returns both parts, both running', async () => {
  const parts = [slowPart(), slowPart()] as const;
  for (const part of parts) part.isFound();
  const failing = jest.fn();
  const [broker, database] = await startInfrastructure(parts[0].search, parts[1].search, failing);
  expect([broker.stop, database.stop]).toEqual([parts[0].stop, parts[1].stop]);
  for (const spy of [failing, broker.stop, database.stop]) expect(spy).not.toHaveBeenCalled();
});
