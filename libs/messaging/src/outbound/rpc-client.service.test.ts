import { connect, type Channel } from 'amqplib';
import { sharedRabbit, until } from '@receipts/testing';
import { connectBroker, rpcQueue, type Broker } from '..';
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
  const [first] = await Promise.allSettled([ask(4_000)]);
  // A request that a queue has accepted may be with its owner, so it is not sent again.
  if (!('x-overflow' in args)) expect(first).toMatchObject({ reason: { status: 503 } });
  else expect(first).toMatchObject({ value: { body: { id: '7' } } });
  await expect(ask(1_000)).resolves.toMatchObject({ body: { id: '7' } });

  await channel.deleteQueue(queue);
  const isUsedAgain = () => log.lines.slice(before).some((line) => line.includes('is used again'));
  await until('the queue is used again', isUsedAgain);
  expect((await channel.checkQueue(queue)).consumerCount).toBe(1);
  await expect(ask(1_000)).resolves.toMatchObject({ body: { id: '7' } });
});

test('a request that no queue takes is refused at once', async () => {
  const { contracts: unserved } = sumsContracts();
  const answer = caller.ask(unserved.find, { params: { id: '7' } }, callOf(20_000));
  await expect(answer).rejects.toMatchObject({
    status: 503,
    internal: expect.stringContaining('is not served'),
  });
});
