import { intervalMs, Throughput } from './throughput';

const start = 1_000 * intervalMs;
const at = (intervals: number) => start + intervals * intervalMs;
const work = (done: number, failed = 0, instance = 'a') => ({
  service: 's',
  instance,
  work: { done, failed },
});

it('reports the work of all processes in each interval', () => {
  const throughput = new Throughput();
  throughput.note(work(1_000, 5), at(0));
  throughput.note(work(50, 0, 'b'), at(0));
  throughput.note(work(1_010, 6), at(0) + 5_000);
  throughput.note(work(55, 0, 'b'), at(0) + 5_000);
  throughput.note(work(1_012, 6), at(2));
  expect(throughput.of('s', at(3))).toEqual([
    { at: at(0), done: 15, failed: 1 },
    { at: at(1), done: 0, failed: 0 },
    { at: at(2), done: 2, failed: 0 },
  ]);
  // The current interval is not included.
  expect(throughput.of('s', at(2))).toHaveLength(2);
  expect([throughput.services, throughput.of('nobody', at(3))]).toEqual([['s'], []]);
});

it('does not count negative work for a restarted process', () => {
  const throughput = new Throughput();
  throughput.note(work(100), at(0));
  throughput.note(work(3), at(1));
  throughput.note(work(5), at(2));
  expect(throughput.of('s', at(3)).map(({ done }) => done)).toEqual([0, 2]);
});

it('keeps half an hour of data', () => {
  const throughput = new Throughput();
  for (let i = 0; i <= 400; i++) throughput.note(work(i), at(i));
  const points = throughput.of('s', at(401));
  expect([points.length, points[0]?.at, points.at(-1)?.at]).toEqual([180, at(221), at(400)]);
});
