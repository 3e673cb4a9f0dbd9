import { connect, type ConsumeMessage } from 'amqplib';
import { sharedRabbit, until } from '@receipts/testing';
import { brokerCases } from '../test/broker-cases';
import { callOf, quietLog, sumsContracts, sumsHandlers as handlers } from '../test/sums';
import { commandQueue, connectBroker, rpcQueue, type Broker } from '.';
import { packEnvelope, unpackEnvelope, type RequestHeader } from './message/envelope';

let rabbit: Awaited<ReturnType<typeof sharedRabbit>>;
let owning: Broker;
let asking: Broker;
const log = quietLog();
const retryDelaysMs = [50, 100];

const connected = (service: string) =>
  connectBroker({ url: rabbit.url, service, log, retryDelaysMs, newQueueWaitMs: 0 });

beforeAll(async () => {
  rabbit = await sharedRabbit();
  [owning, asking] = await Promise.all([connected('sums'), connected('caller')]);
});

afterAll(async () => {
  await Promise.all([owning?.close(), asking?.close()]);
  await rabbit?.dispose();
});

brokerCases(() => ({ owning, asking, another: () => connected('leaver') }));

describe('competing consumers', () => {
  test('share the work and handle each item once', async () => {
    const { owner, contracts } = sumsContracts();
    const done: string[] = [];
    const other = await connected('sums');
    const serving = [owning, other].map((broker, i) =>
      broker.serve({
        owner,
        contracts,
        handlers: {
          ...handlers,
          keep: async ({ body }) => {
            done.push(`${i}:${body.n}`);
            return {};
          },
        },
      }),
    );
    await Promise.all(serving);
    for (let n = 0; n < 40; n++) await asking.send(contracts.keep, { body: { n } }, callOf());
    await until('all are done', () => done.length >= 40);
    expect(new Set(done.map((entry) => entry.split(':')[1])).size).toBe(40);
    expect(new Set(done.map((entry) => entry.split(':')[0])).size).toBe(2);
    await other.close();
  });
});

test.each([10_000, -10_000])('gets replies from an owner whose clock is %i ms off', async (offMs) => {
  const { owner, contracts } = sumsContracts();
  const off = await connectBroker({
    url: rabbit.url,
    service: 'off',
    log,
    retryDelaysMs,
    newQueueWaitMs: 0,
    now: () => Date.now() + offMs,
  });
  let deadline = 0;
  await off.serve({
    owner,
    contracts,
    handlers: {
      ...handlers,
      find: async ({ params }, call) => {
        deadline = call.deadline;
        return { body: { id: params.id } };
      },
    },
  });
  const call = callOf();
  expect((await asking.ask(contracts.find, { params: { id: 'x' } }, call)).body).toEqual({ id: 'x' });
  expect(Math.abs(deadline - (call.deadline + offMs))).toBeLessThan(5_000);
  await off.close();
});

describe('a reply that is larger than a message of the broker may be', () => {
  test('is sent in parts', async () => {
    const { owner, contracts } = sumsContracts();
    let messages = 0;
    const splitting = await connectBroker({
      url: rabbit.url,
      service: 'sums',
      log,
      retryDelaysMs,
      newQueueWaitMs: 0,
      metrics: { published: () => messages++ },
    });
    const large = Buffer.alloc(20 * 1024 * 1024, 'a lot of text ').toString();
    const find: typeof handlers.find = async ({ params }) => ({ body: { id: params.id + large } });
    await splitting.serve({ owner, contracts, handlers: { ...handlers, find } });
    const ids = ['x', 'y'];
    const answers = await Promise.all(
      ids.map((id) => asking.ask(contracts.find, { params: { id } }, callOf())),
    );
    expect(answers.map(({ body }) => body.id.length)).toEqual([large.length + 1, large.length + 1]);
    expect(answers.map(({ body }) => body.id.slice(0, 7))).toEqual(['xa lot ', 'ya lot ']);
    // A caller that waits for seconds also gets replies about the presence of the owner.
    expect(messages).toBeGreaterThanOrEqual(6);
    await splitting.close();
  });

  test('fails if a part is lost', async () => {
    const { owner, contracts } = sumsContracts();
    const connection = await connect(rabbit.url);
    const channel = await connection.createChannel();
    const queue = `receipts.${rpcQueue(owner, 'query')}`;
    await channel.assertQueue(queue, { durable: false, autoDelete: true });
    await channel.consume(queue, (message) => {
      const { content, properties } = message as ConsumeMessage;
      const { id } = unpackEnvelope<RequestHeader>(content)[0]?.header as RequestHeader;
      const head = JSON.stringify({ id, part: 1, parts: 2, n: 1 });
      channel.sendToQueue(properties.replyTo, packEnvelope([{ head, body: Buffer.from('x') }]));
    });
    const answer = asking.ask(contracts.find, { params: { id: '7' } }, callOf());
    await expect(answer).rejects.toMatchObject({ status: 503 });
    await connection.close();
  });
});

describe('closing', () => {
  test('replies to started requests and loses nothing', async () => {
    const { owner, contracts } = sumsContracts();
    const done = new Set<number>();
    const start = (broker: Broker) =>
      broker.serve({
        owner,
        contracts,
        handlers: {
          ...handlers,
          keep: async ({ body }) => {
            await new Promise((resolve) => setTimeout(resolve, 5));
            done.add(body.n);
            return {};
          },
          add: async () => {
            await new Promise((resolve) => setTimeout(resolve, 200));
            return { body: { sum: 1 }, meta: { created: true } };
          },
        },
        concurrency: 4,
      });
    const leaving = await connected('sums');
    await start(leaving);
    const asked = asking.ask(contracts.add, { body: { a: 0, b: 0 } }, callOf());
    const sends = Array.from({ length: 300 }, (_, n) =>
      asking.send(contracts.keep, { body: { n } }, callOf()),
    );
    await Promise.all(sends);
    await until('some are done', () => done.size > 3);
    await leaving.close();
    expect((await asked).body).toEqual({ sum: 1 });
    const doneBefore = done.size;
    await start(owning);
    await until('all are done', () => done.size === 300);
    expect(doneBefore).toBeLessThanOrEqual(300);
    const depths = await asking.depth([rpcQueue(owner, 'command'), commandQueue(owner)]);
    expect(depths.map(({ consumers }) => consumers)).toEqual([1, 1]);
  });
});
