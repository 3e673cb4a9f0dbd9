import { connect, type Channel, type ConsumeMessage } from 'amqplib';
import { sharedRabbit, until } from '@receipts/testing';
import { connectBroker, rpcQueue, type Broker } from '..';
import { standbyQueue } from '../topology/queues';
import { callOf, quietLog, sumsContracts, sumsHandlers } from '../../test/sums';

/** The usual queue does not work, as if its node were away. */
const faults: readonly [string, Readonly<Record<string, unknown>>][] = [
  ['nobody consumes', { 'x-max-length': 1_000 }],
  ['the broker refuses messages', { 'x-max-length': 0, 'x-overflow': 'reject-publish' }],
];

let rabbit: Awaited<ReturnType<typeof sharedRabbit>>;
let caller: Broker;
let owner: Broker;
let control: Awaited<ReturnType<typeof connect>>;
let channel: Channel;
const log = quietLog();
const { owner: name, contracts } = sumsContracts();
const queue = `receipts.${rpcQueue(name, 'query')}`;

beforeAll(async () => {
  rabbit = await sharedRabbit();
  control = await connect(rabbit.url);
  channel = await control.createChannel();
  const options = { url: rabbit.url, log, newQueueWaitMs: 0 };
  caller = await connectBroker({ ...options, service: 'caller' });
  owner = await connectBroker({ ...options, service: 'owner' });
  await owner.serve({ owner: name, contracts, handlers: sumsHandlers });
});
afterAll(async () => {
  await Promise.all([caller?.close(), owner?.close({ graceMs: 100 }), control?.close()]);
  await rabbit?.dispose();
});

const ask = (timeoutMs: number) => caller.ask(contracts.find, { params: { id: '7' } }, callOf(timeoutMs));

test.each(faults)('requests take the standby while in their queue %s, and return', async (_, args) => {
  const before = log.lines.length;
  await channel.deleteQueue(queue);
  await channel.assertQueue(queue, { durable: true, arguments: args });
  await expect(ask(20_000)).resolves.toMatchObject({ body: { id: '7' } });
  await expect(ask(1_000)).resolves.toMatchObject({ body: { id: '7' } });

  await channel.deleteQueue(queue);
  const isUsedAgain = () => log.lines.slice(before).some((line) => line.includes('is used again'));
  await until('the queue is used again', isUsedAgain);
  expect((await channel.checkQueue(queue)).consumerCount).toBe(1);
  await expect(ask(1_000)).resolves.toMatchObject({ body: { id: '7' } });
});

test('a request to the standby is repeated while a consumer that is away receives it', async () => {
  await channel.deleteQueue(queue);
  await channel.assertQueue(queue, { durable: true, arguments: { 'x-max-length': 1_000 } });
  const received: string[] = [];
  // Like the consumer of a frozen node: the broker still counts on it, but it does nothing.
  const receive = (message: ConsumeMessage | null) => received.push(String(message?.properties.messageId));
  const { consumerTag } = await channel.consume(standbyQueue(queue), receive, { priority: 9 });
  const answer = ask(10_000);
  await until('the standby was tried twice', () => received.length >= 2);
  expect(received[0]).toBe(received[1]);
  await channel.cancel(consumerTag);
  await expect(answer).resolves.toMatchObject({ body: { id: '7' } });
  await channel.deleteQueue(queue);
  await until('the queue is used again', () => log.lines.at(-1)?.includes('is used again'));
});

test('an owner that takes long receives a request again, but works on it once', async () => {
  const slow = sumsContracts();
  const slowQueue = `receipts.${rpcQueue(slow.owner, 'query')}`;
  let received = 0;
  const consumed = (from: string) => void (from === standbyQueue(slowQueue) && received++);
  const options = { url: rabbit.url, log, newQueueWaitMs: 0, service: 'slow owner', metrics: { consumed } };
  const slowOwner = await connectBroker(options);
  const finish: (() => void)[] = [];
  const find: typeof sumsHandlers.find = async ({ params }) => {
    await new Promise<void>((resolve) => finish.push(resolve));
    return { body: params };
  };
  try {
    await slowOwner.serve({ ...slow, handlers: { ...sumsHandlers, find } });
    await channel.deleteQueue(slowQueue);
    await channel.assertQueue(slowQueue, { durable: true, arguments: { 'x-max-length': 1_000 } });
    const answer = caller.ask(slow.contracts.find, { params: { id: '7' } }, callOf(60_000));
    await until('the request was repeated', () => received >= 3);
    expect(finish).toHaveLength(1);
    finish[0]?.();
    await expect(answer).resolves.toMatchObject({ body: { id: '7' } });
  } finally {
    await slowOwner.close({ graceMs: 100 });
  }
});

test('a request that no queue takes is refused at once', async () => {
  const { contracts: unserved } = sumsContracts();
  const answer = caller.ask(unserved.find, { params: { id: '7' } }, callOf(20_000));
  await expect(answer).rejects.toMatchObject({
    status: 503,
    internal: expect.stringContaining('is not served'),
  });
});
