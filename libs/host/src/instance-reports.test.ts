import type { SerializedEvent } from '@receipts/kernel';
import {
  instanceReported,
  instanceReportEveryMs,
  reportInstance,
  WorkTally,
  type InstanceReport,
} from './instance-reports';

const read = ({ text }: SerializedEvent) =>
  instanceReported.data.parse((JSON.parse(text) as { data: unknown }).data);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('reports at the start, every few seconds, and at the end of a process', async () => {
  const said: InstanceReport[] = [];
  const work = new WorkTally();
  for (const status of [200, 404, 503]) work.note(status);
  const outbox = [{ collection: 'receipts', documents: 3, oldestAgeMs: 200 }];
  const reporting = reportInstance({
    service: 'ingest',
    version: '1.2.3',
    publish: (events) => Promise.resolve(said.push(...events.map(read))),
    loopLagMs: () => 4,
    work,
    outbox: () => Promise.resolve(outbox),
    log: { warn: () => undefined },
  });
  await jest.advanceTimersByTimeAsync(2 * instanceReportEveryMs);
  expect(said).toHaveLength(3);
  expect(said[0]).toMatchObject({
    service: 'ingest',
    version: '1.2.3',
    loopLagMs: 4,
    stopped: false,
    work: { done: 3, failed: 1 },
    outbox,
  });
  await reporting.stop();
  await jest.advanceTimersByTimeAsync(2 * instanceReportEveryMs);
  expect(said.map(({ stopped }) => stopped)).toEqual([false, false, false, true]);
  expect(new Set(said.map(({ instance }) => instance)).size).toBe(1);
});

it('continues while the broker is unavailable', async () => {
  let attempts = 0;
  const warnings: string[] = [];
  const reporting = reportInstance({
    service: 'ingest',
    version: '1',
    publish: () => Promise.reject(new Error(`away ${++attempts}`)),
    loopLagMs: () => 0,
    work: new WorkTally(),
    log: { warn: (text) => void warnings.push(text) },
  });
  await jest.advanceTimersByTimeAsync(instanceReportEveryMs);
  await reporting.stop();
  expect([attempts, warnings.length]).toEqual([3, 3]);
});
