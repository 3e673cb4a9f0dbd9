import { failingMaxMs, hasFailedForTooLong, verdictOf, type Attempt } from './attempt';
import { schedule } from './schedule';

const now = new Date('2026-05-17T10:00:00Z');
const plan = schedule([5, 300], () => 0);
const attemptOf = (change: Partial<Attempt>): Attempt => ({
  outcome: 'status',
  error: null,
  durationMs: 3,
  response: undefined,
  ...change,
});
const answered = (status: number, headers: Record<string, string> = {}) =>
  attemptOf({ response: { status, headers, body: '' } });
const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

it('ends the delivery after a success', () => {
  expect(verdictOf(attemptOf({ outcome: 'succeeded' }), 1, plan, now)).toEqual({ kind: 'succeeded' });
});

it('retries a failure according to the schedule, then gives up', () => {
  for (const outcome of ['status', 'redirected', 'timeout', 'unreachable', 'address_refused'] as const) {
    expect(verdictOf(attemptOf({ outcome }), 1, plan, now)).toEqual({ kind: 'retry', at: inSeconds(5) });
  }
  expect(verdictOf(answered(500), 3, plan, now)).toEqual({ kind: 'failed', reason: 'attempts_exhausted' });
});

it('disables the endpoint after 410', () => {
  expect(verdictOf(answered(410), 1, plan, now)).toEqual({
    kind: 'failed',
    reason: 'gone',
    disable: 'gone',
  });
});

it('pauses the endpoint after 429 and 503 as requested, but not after other responses', () => {
  const headers = { 'retry-after': '60' };
  for (const status of [429, 503]) {
    const paused = { kind: 'retry', at: inSeconds(60), pausedUntil: inSeconds(60) };
    expect(verdictOf(answered(status, headers), 1, plan, now)).toEqual(paused);
  }
  expect(verdictOf(answered(500, headers), 1, plan, now)).toEqual({ kind: 'retry', at: inSeconds(5) });
  expect(verdictOf(answered(429), 1, plan, now)).toEqual({ kind: 'retry', at: inSeconds(5) });
});

it('disables the endpoint after five days of failures', () => {
  const ago = (ms: number) => new Date(now.getTime() - ms);
  expect(hasFailedForTooLong(ago(failingMaxMs), now)).toBe(true);
  expect(hasFailedForTooLong(ago(failingMaxMs - 1), now)).toBe(false);
  expect(hasFailedForTooLong(null, now)).toBe(false);
});
