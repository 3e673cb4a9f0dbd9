import { sharedRabbit } from '@receipts/testing';
import { openSession } from './session';
import { within } from './time-limit';

let rabbit: Awaited<ReturnType<typeof sharedRabbit>>;

beforeAll(async () => {
  rabbit = await sharedRabbit();
});
afterAll(() => rabbit?.dispose());

test('a task whose connection ends while its channel is being closed comes to an end', async () => {
  const session = await openSession(rabbit.url, 'lost while closing');
  const task = session.withChannel(async () => {
    session.destroy();
    return 'done';
  });
  // amqplib itself would never report that the channel is closed.
  await expect(within(30_000, 'the end of the task', task)).resolves.toBe('done');
  expect(session.isLost).toBe(true);
});
