import { failingMaxMs, hasFailedForTooLong, verdictOf, type Attempt } from './attempt';
import { schedule } from './schedule';

const now = new Date('2026-05-17T10:00:00Z');
const plan = schedule([0, 5, 300], () => 0);
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

it('a success ends the delivery', () => {
  expect(verdictOf(attemptOf({ outcome: 'succeeded' }), 1, plan, now)).toEqual({ kind: 'succeeded' });
});

it('retries a failure according to the schedule, then gives up', () => {
  for (const outcome of ['status', 'redirected', 'timeout', 'unreachable', 'address_refused'] as const) {
    expect(verdictOf(attemptOf({ outcome }), 1, plan, now)).toEqual({ kind: 'retry', at: inSeconds(5) });
  }
  expect(verdictOf(answered(500), 3, plan, now)).toEqual({ kind: 'failed', reason: 'attempts_exhausted' });
});

it('410 disables', () => {
  expect(verdictOf(answered(410), 1, plan, now)).toEqual({
    kind: 'failed',
    reason: 'gone',
    disable: 'gone',
  });
});

it('429 and 503 pause the endpoint as long as they say, other responses do not', () => {
  const headers = { 'retry-after': '60' };
  for (const status of [429, 503]) {
    const held = { kind: 'retry', at: inSeconds(60), holdUntil: inSeconds(60) };
    expect(verdictOf(answered(status, headers), 1, plan, now)).toEqual(held);
  }
  expect(verdictOf(answered(500, headers), 1, plan, now)).toEqual({ kind: 'retry', at: inSeconds(5) });
  expect(verdictOf(answered(429), 1, plan, now)).toEqual({ kind: 'retry', at: inSeconds(5) });
});

it('five days of failures disable the endpoint', () => {
  const ago = (ms: number) => new Date(now.getTime() - ms);
  expect(hasFailedForTooLong(ago(failingMaxMs), now)).toBe(true);
  expect(hasFailedForTooLong(ago(failingMaxMs - 1), now)).toBe(false);
  expect(hasFailedForTooLong(null, now)).toBe(false);
});
