import { sharedRabbit, until } from '@receipts/testing';
import { brokerCases } from '../test/broker-cases';
import { callOf, quietLog, sumsContracts, sumsHandlers as handlers } from '../test/sums';
import { commandQueue, connectBroker, rpcQueue, type Broker } from '.';

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
    ...{ url: rabbit.url, service: 'off', log, retryDelaysMs, newQueueWaitMs: 0 },
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

test('refuses a reply that RabbitMQ would not accept, without affecting others', async () => {
  const { owner, contracts } = sumsContracts();
  await owning.serve({
    owner,
    contracts,
    handlers: {
      ...handlers,
      find: ({ params }) => Promise.resolve({ body: { id: params.id.repeat(2 ** 20) } }),
    },
  });
  const find = (id: string) => asking.ask(contracts.find, { params: { id } }, callOf());
  const [large, other] = await Promise.allSettled([find('x'.repeat(16)), find('x'.repeat(15))]);
  expect(large).toMatchObject({ status: 'rejected', reason: { status: 503 } });
  expect(other.status).toBe('fulfilled');
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
