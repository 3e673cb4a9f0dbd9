import { callOf, quietLog } from '../../test/sums';
import { ClockSkewEstimator } from './clock-skew-estimator';

const start = 1_800_000_000_000;

/** A call made at this time on the sender's clock, with a timeout of 5 s. */
const madeAt = (at: number) => ({ ...callOf(), at, deadline: at + 5_000 });

test.each([
  ['agrees', 0],
  ['is ten seconds ahead', 10_000],
  ['is an hour behind', -3_600_000],
])('keeps the remaining time of a deadline when our clock %s', (_name, ahead) => {
  let now = start;
  const log = quietLog();
  const clocks = new ClockSkewEstimator(() => now, log);
  for (const [waited, travelled] of [
    [0, 2],
    [100, 3],
    [4_000, 2],
    [50, 900],
  ] as const) {
    const sentAt = now + waited;
    now = sentAt + travelled;
    const call = clocks.localCall('gateway-1', madeAt(sentAt - ahead));
    expect(Math.abs(call.deadline - (sentAt + 5_000))).toBeLessThanOrEqual(250);
    expect(Math.abs(call.at - sentAt)).toBeLessThanOrEqual(250);
  }
  expect(log.lines.filter((line) => line.includes('clock'))).toHaveLength(Math.abs(ahead) >= 1_000 ? 1 : 0);
});

test('rejects a message that has waited too long in a queue', () => {
  let now = start;
  const clocks = new ClockSkewEstimator(() => now, quietLog());
  clocks.localCall('gateway-1', madeAt(now - 10_000));
  now += 6_000;
  const late = clocks.localCall('gateway-1', madeAt(start - 10_000));
  expect(late.deadline).toBeLessThan(now);
});

test('estimates the clock of each caller, and accepts a corrected one after a while', () => {
  let now = start;
  const clocks = new ClockSkewEstimator(() => now, quietLog());
  expect(clocks.localCall('a', madeAt(now - 20_000)).at).toBe(now);
  expect(clocks.localCall('b', madeAt(now)).at).toBe(now);
  // A clock that was behind and has been corrected is detected immediately; the reverse takes two windows.
  expect(clocks.localCall('a', madeAt(now)).at).toBe(now);
  for (let minute = 0; minute < 3; minute++) {
    now += 60_000;
    clocks.localCall('a', madeAt(now - 20_000));
  }
  expect(clocks.localCall('a', madeAt(now - 20_000)).at).toBe(now);
});
