import { CpuWatch } from './cpu-watch';
import { usageOf } from './process-usage';

const second = 1_000;
const asleep = (cpuMs: number) => ({ cpuMs, isRunnable: false });
const eager = (cpuMs: number) => ({ cpuMs, isRunnable: true });

const watchOf = (limitMs: number, cpuMsBefore: number, startedAtMs: number, slowness = 1) =>
  new CpuWatch(limitMs, cpuMsBefore, startedAtMs, () => slowness);

test('does not kill a process that uses no CPU time, no matter how long it takes', () => {
  const watch = watchOf(500, 2_000, 0);
  for (let hours = 0; hours < 100; hours++) {
    expect(watch.check(eager(2_000 + hours), hours * 3_600 * second)).toMatchObject({
      checkAfterMs: expect.any(Number) as number,
    });
  }
});

test('kills a process that has used its time', () => {
  const watch = watchOf(500, 2_000, 0);
  expect(watch.check(eager(2_499), 600)).toEqual({ checkAfterMs: 10 });
  expect(watch.check(eager(2_500), 610)).toEqual({ kill: 'timeout' });
});

test('gives a process on a slower processor more time', () => {
  const watch = watchOf(500, 2_000, 0, 2);
  expect(watch.check(eager(2_600), 700)).toEqual({ checkAfterMs: 400 });
  expect(watch.check(eager(3_000), 1_200)).toEqual({ kill: 'timeout' });
});

test('kills a process that sleeps for ten seconds during a job', () => {
  const watch = watchOf(500, 0, 0);
  expect(watch.check(asleep(10), 9 * second)).toEqual({ checkAfterMs: 490 });
  expect(watch.check(asleep(10), 18 * second)).toEqual({ checkAfterMs: 490 });
  expect(watch.check(eager(10), 18.5 * second)).toEqual({ checkAfterMs: 490 });
  expect(watch.check(asleep(10), 28 * second)).toEqual({ checkAfterMs: 490 });
  expect(watch.check(asleep(10), 28.5 * second)).toEqual({ kill: 'stalled' });
});

test('kills a process after twenty times the limit if there are no process statistics', () => {
  const watch = watchOf(500, 0, 0);
  expect(watch.check(undefined, 9_999)).toEqual({ checkAfterMs: 1 });
  expect(watch.check(undefined, 10_000)).toEqual({ kill: 'timeout' });
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('the system reports the CPU time of a process, and whether it is runnable', () => {
  const before = process.cpuUsage();
  const usage = usageOf(process.pid);
  expect(usage?.isRunnable).toBe(true);
  expect(usage?.cpuMs).toBeGreaterThan((before.user + before.system) / 1_000 - 20);
});

test('returns no statistics for a process that has exited', () => {
  expect(usageOf(2 ** 30)).toBeUndefined();
});
