import { confirmingConnection, publishingOn } from '../test/confirming-connection';
import type { Connection } from './connection/connection';
import { Pulse } from './pulse';

let other: Connection;
jest.mock('./connection/connection', () => ({ openConnection: () => Promise.resolve(other) }));

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** How often a connection was given up within 20 s, if channels work that were opened after these times. */
async function timesGivenUp(ownWorksAfterMs: number, otherWorksAfterMs: number): Promise<number> {
  const began = Date.now();
  const worksAfter = (ms: number) => confirmingConnection(() => Date.now() - began > ms, false);
  const own = worksAfter(ownWorksAfterMs);
  other = worksAfter(otherWorksAfterMs);
  const pulse = new Pulse(publishingOn(own), 'amqp://one,two');
  pulse.start();
  await jest.advanceTimersByTimeAsync(20_000);
  pulse.stop();
  return own.destroy.mock.calls.length;
}

it('keeps a connection on which another channel reaches the next leader of the queue', async () => {
  expect(await timesGivenUp(3_500, 3_500)).toBe(0);
});

it('gives up on a connection that reaches the queue on no channel, once the broker confirms on another', async () => {
  expect(await timesGivenUp(Infinity, 3_500)).toBeGreaterThan(0);
});

it('keeps a connection while the broker confirms on no other', async () => {
  expect(await timesGivenUp(Infinity, Infinity)).toBe(0);
});
