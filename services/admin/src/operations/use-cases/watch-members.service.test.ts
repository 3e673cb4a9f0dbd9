import { silentLog } from '@receipts/testing';
import { QueueAges } from '../domain/queue-ages';
import { Instances } from '../instances';
import { operatorCall } from '../../testing/admin-world';
import { getStatus } from './get-status';
import { watchMembers } from './watch-members';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const incomplete = [{ queue: 'ingest.commands', members: 2, expected: 3 }];

it('shows in the status what the last successful check found', async () => {
  const lastCheck = {};
  const answers = [Promise.resolve(incomplete), Promise.reject(new Error('down')), Promise.resolve([])];
  answers[1]?.catch(() => undefined);
  const watching = watchMembers({ lastCheck, log: silentLog, incompleteQueues: () => answers.shift()! });
  watching.start?.();
  const status = getStatus({
    lastCheck,
    depth: () => Promise.resolve([]),
    instances: new Instances(),
    ages: new QueueAges(),
    now: () => new Date(),
  });
  const seen: unknown[] = [];
  for (let check = 0; check <= 3; check++) {
    const reply = await status({} as never, operatorCall());
    seen.push((reply.body as { incomplete_queues: unknown }).incomplete_queues);
    await jest.advanceTimersByTimeAsync(60_000);
  }
  await watching.stop();
  expect(seen).toEqual([null, incomplete, incomplete, []]);
});
