import { sharedRabbit } from '@receipts/testing';
import { within } from '@receipts/concurrency';
import { acceptsMessages } from '../topology/probe-queue';
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

test('leaves no listeners on a connection whose queues are probed again and again', async () => {
  const connection = await openConnection(rabbit.url, 'probed');
  const { model } = connection;
  const before = model.listenerCount('blocked');
  const queue = await connection.withChannel(async (channel) => (await channel.assertQueue('')).queue);
  expect(await acceptsMessages(connection, queue, {})).toBe(true);
  expect(model.listenerCount('blocked')).toBe(before);
  await connection.close();
});
