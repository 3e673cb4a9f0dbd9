import type { InstanceReport } from '@receipts/host';
import { Throughput } from '../domain/throughput';
import { Instances } from '../instances';
import { onInstanceReported } from './on-instance-reported';

const report = (instance: string, changes: Partial<InstanceReport> = {}): InstanceReport => ({
  service: 'ingest',
  instance,
  version: '1',
  started: 1,
  loopLagMs: 0,
  stopped: false,
  work: { done: 0, failed: 0 },
  outbox: [],
  ...changes,
});
const names = (instances: Instances, now: number) => instances.alive(now).map(({ instance }) => instance);

it('lists instances that reported recently, oldest first', () => {
  const instances = new Instances();
  instances.note(report('young', { started: 9 }), 0);
  instances.note(report('old'), 0);
  expect(names(instances, 1)).toEqual(['old', 'young']);
  instances.note(report('young', { started: 9, version: '2' }), 20_000);
  expect(instances.alive(20_001)).toEqual([expect.objectContaining({ instance: 'young', version: '2' })]);
});

it('removes an instance that reports that it is stopping', () => {
  const instances = new Instances();
  instances.note(report('a'), 0);
  instances.note(report('a', { stopped: true }), 1);
  expect(names(instances, 2)).toEqual([]);
});

it('adds the work of reporting processes to the throughput', async () => {
  const throughput = new Throughput();
  let now = new Date(0);
  const hear = onInstanceReported({ instances: new Instances(), throughput, now: () => now });
  await hear([{ data: report('a', { work: { done: 1, failed: 0 } }) }]);
  now = new Date(5_000);
  await hear([{ data: report('a', { work: { done: 4, failed: 1 } }) }]);
  expect(throughput.of('ingest', 10_000)).toEqual([{ at: 0, done: 3, failed: 1 }]);
});
