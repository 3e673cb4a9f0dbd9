import { sharedRabbit, until } from '@receipts/testing';
import { callOf, eventsOf, quietLog, sumsContracts, thingHappened } from '../../test/sums';
import { connectBroker, on, type Broker, type BrokerOptions } from '..';

let rabbit: Awaited<ReturnType<typeof sharedRabbit>>;
const opened: Broker[] = [];
const unique = () => sumsContracts().owner;

async function connected(service: string, options: Partial<BrokerOptions>): Promise<Broker> {
  const broker = await connectBroker({
    url: rabbit.url,
    service,
    log: quietLog(),
    newQueueWaitMs: 0,
    retryDelaysMs: [50],
    ...options,
  });
  opened.push(broker);
  return broker;
}

beforeAll(async () => {
  rabbit = await sharedRabbit();
});
afterAll(async () => {
  await Promise.all(opened.map((broker) => broker.close()));
  await rabbit?.dispose();
});

test('keeps two platforms on one broker from affecting each other', async () => {
  const { owner, contracts } = sumsContracts();
  const platforms = [unique(), unique()];
  const contract = thingHappened(`${owner}.happened`);
  const sides = await Promise.all(
    platforms.map(async (platform) => {
      const broker = await connected('both', { platform });
      const received: string[] = [];
      const kept: number[] = [];
      await Promise.all([
        broker.serve({
          owner,
          contracts,
          handlers: {
            add: async () => ({ body: { sum: platforms.indexOf(platform) }, meta: { created: true } }),
            keep: async ({ body }) => {
              kept.push(body.n);
              if (body.n < 0) throw new Error('never');
              return {};
            },
            find: async ({ params }) => ({ body: { id: params.id } }),
            echo: async ({ body }) => ({ body }),
          },
        }),
        broker.subscribe({
          queue: `${owner}.on-happened`,
          subscriptions: [on(contract, async (events) => void received.push(...events.map(({ id }) => id)))],
        }),
      ]);
      return { broker, received, kept };
    }),
  );
  const [one, other] = sides as [(typeof sides)[number], (typeof sides)[number]];
  for (const [n, { broker }] of sides.entries()) {
    const sums = Array.from({ length: 5 }, () =>
      broker.ask(contracts.add, { body: { a: 1, b: 1 } }, callOf()),
    );
    expect((await Promise.all(sums)).map(({ body }) => body.sum)).toEqual([n, n, n, n, n]);
  }
  const events = eventsOf(contract, 3);
  await one.broker.publish(events);
  await one.broker.send(contracts.keep, { body: { n: 1 } }, callOf());
  await other.broker.send(contracts.keep, { body: { n: -2 } }, callOf());
  const queue = `${owner}.commands`;
  await until('it is dead-lettered', async () => (await other.broker.deadLetters.list(queue)).length === 1);
  expect((await other.broker.deadLetters.list(queue))[0]).toMatchObject({ queue });
  expect(await one.broker.deadLetters.list(queue)).toEqual([]);
  await until('the events came', () => one.received.length === 3);
  expect([other.received, one.kept, [...new Set(other.kept)]]).toEqual([[], [1], [-2]]);
});

test('immediately rejects another installation with the same prefix, with advice', async () => {
  const platform = unique();
  await connected('first', { platform, installation: 'a' });
  await connected('first', { platform, installation: 'a' });
  const second = connected('second', { platform, installation: 'b' });
  await expect(second).rejects.toThrow(`uses the prefix ${platform}`);
  await expect(second).rejects.toThrow('RESOURCE_PREFIX');
});
