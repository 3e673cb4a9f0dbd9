import { connect, type ChannelModel } from 'amqplib';
import { resolvesWithin } from '@receipts/concurrency';
import { until } from '@receipts/testing';
import { electLeaders } from './leaderless-queues';
import { startRabbit, type Rabbit } from './rabbitmq';

let rabbit: Rabbit;

beforeAll(async () => {
  rabbit = await startRabbit();
});
afterAll(() => rabbit?.dispose());

async function connected(): Promise<ChannelModel> {
  const model = await connect(rabbit.url);
  model.on('error', () => {});
  return model;
}

async function declare(model: ChannelModel, queue: string): Promise<void> {
  const channel = await model.createChannel();
  channel.on('error', () => {});
  await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await channel.close();
}

/** True if the queue confirms a message within a second. */
async function isAccepting(queue: string): Promise<boolean> {
  const model = await connected();
  const channel = await model.createConfirmChannel();
  channel.on('error', () => {});
  channel.sendToQueue(queue, Buffer.from('x'), { persistent: true });
  const result = await resolvesWithin(1_000, channel.waitForConfirms());
  await model.close().catch(() => {});
  return result;
}

/** What RabbitMQ stores at the beginning of a declaration, before it starts the process of the queue. */
const beginDeclaration = `
Queue = amqqueue:set_type_state(
  amqqueue:new(rabbit_misc:r(<<"/">>, queue, <<"declared">>), {'%2F_declared', node()}, true, false, none,
    [{<<"x-queue-type">>, longstr, <<"quorum">>}], <<"/">>, #{user => <<"guest">>}, rabbit_quorum_queue),
  #{nodes => [node()]}),
{created, Declared} = rabbit_amqqueue:internal_declare(Queue, false),
`;

test('does not start a queue that is being declared', async () => {
  const functions = electLeaders.slice(0, electLeaders.indexOf('spawn('));
  const look =
    "[Found] = Leaderless(), catch Elect(Found), {amqqueue:get_name(Found) =:= amqqueue:get_name(Declared), whereis('%2F_declared')}.";
  const result = await rabbit.control('eval', functions + beginDeclaration + look);
  expect(result.trim()).toBe('{true,undefined}');
});

test.each([0, 400])('elects a leader if the node is killed %i ms after a declaration', async (delayMs) => {
  const queues = [0, 1, 2].map((n) => `killed.${delayMs}.${n}`);
  const model = await connected();
  for (const queue of queues) await declare(model, queue);
  await model.close();
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  await rabbit.kill();
  await rabbit.start();
  for (const queue of queues) await until(`${queue} accepts messages`, () => isAccepting(queue));
});
