import { sharedRabbit } from '@receipts/testing';
import { within } from '@receipts/kernel';
import { openConnection } from './connection';

let rabbit: Awaited<ReturnType<typeof sharedRabbit>>;

beforeAll(async () => {
  rabbit = await sharedRabbit();
});
afterAll(() => rabbit?.dispose());

test('ends a task if its connection ends while its channel is being closed', async () => {
  const connection = await openConnection(rabbit.url, 'lost while closing');
  const task = connection.withChannel(async () => {
    connection.destroy();
    return 'done';
  });
  // In this case, amqplib itself never reports that the channel is closed.
  await expect(within(30_000, 'the end of the task', task)).resolves.toBe('done');
  expect(connection.isLost).toBe(true);
});
