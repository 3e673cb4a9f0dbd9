import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import http from 'node:http';
import { once } from 'node:events';

/** What a function throws or rejects with. */
const failureOf = async (run: () => unknown): Promise<unknown> => {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error;
  }
};
const nowhere = 'http://127.0.0.1:1/';

it.each<[string, () => unknown]>([
  ['the file system', () => readFileSync('/no/such/file')],
  ['fetch', () => fetch(nowhere)],
  ['a socket', () => once(http.get(nowhere), 'response')],
  ['an aborted signal', () => AbortSignal.abort().throwIfAborted()],
])('an error of %s is an Error', async (_what, run) => {
  const error = await failureOf(run);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(RangeError);
});

it('promises and dates of Node are instances of the classes that tests see', () => {
  expect(stat('/')).toBeInstanceOf(Promise);
  expect(structuredClone(new Date())).toBeInstanceOf(Date);
});

it('an error is not an instance of a subclass of Error', () => {
  class OwnError extends Error {}
  expect(new Error('plain')).not.toBeInstanceOf(OwnError);
  expect(new OwnError('own')).toBeInstanceOf(Error);
});

it('listeners hear the events of the process', async () => {
  const heard = new Promise<string>((resolve) => process.once('warning', ({ name }) => resolve(name)));
  process.emitWarning('for a test', 'TestWarning');
  expect(await heard).toBe('TestWarning');
});
