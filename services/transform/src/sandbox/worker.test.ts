import type { JobResult } from './messages';
import { Worker, type Loss, type WorkerJob } from './worker';

const decode = { type: 'text' as const };

function jobOf(id: number, expression: string): WorkerJob {
  const packet = {
    bytes: Buffer.from('x'),
    contentType: null,
    metadata: {},
    properties: {},
    attachments: [],
    receivedTimestamp: '2026-01-02T03:04:05+00:00',
  };
  const rules = { decode, transform: { language: 'jsonata' as const, expression } };
  return { id, mapping: expression, rules, timeoutMs: 100, message: { packet } };
}

/** A started worker, and the outcomes of its jobs. */
async function startWorker() {
  let end: (outcome: JobResult | Loss) => void = () => undefined;
  let started: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => (started = resolve));
  const worker = new Worker(
    { memoryMb: 64, pdf: false },
    {
      onResult: (_, result) => end(result),
      onLost: (_, loss) => end(loss),
      onReturned: () => undefined,
      onIdle: () => started(),
    },
  );
  await ready;
  const run = (job: WorkerJob) =>
    new Promise<JobResult | Loss>((resolve) => {
      end = resolve;
      worker.start([job]);
    });
  return { worker, run };
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('does not kill a process that gets no CPU time for many times its limit', async () => {
  const { worker, run } = await startWorker();
  process.kill(worker.pid ?? 0, 'SIGSTOP');
  const result = run(jobOf(1, '{ "n": 1 }'));
  await wait(1_500);
  process.kill(worker.pid ?? 0, 'SIGCONT');
  expect(await result).toMatchObject({ json: '[{"n":1}]' });
  worker.retire();
});

test('kills a process that exceeds its limit in a builtin', async () => {
  const { run } = await startWorker();
  // Compares each element with every other: minutes of CPU time, but hardly any memory.
  const hang = '$count($distinct([1..99999]))';
  expect(await run(jobOf(1, hang))).toBe('timeout');
});
