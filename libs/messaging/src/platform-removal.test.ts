import { emptyRabbit, type RabbitForTests } from '@receipts/testing';
import { callOf, quietLog, sumsContracts, thingHappened } from '../test/sums';
import { boundCommands, connectBroker, hashedPassword, integratorAccess, on, type Broker } from '.';
import { claimPlatform, removePlatform } from './platform-removal';
import { Management } from './topology/management';

let rabbit: RabbitForTests;
let management: Management;
let broker: Broker | undefined;
const { owner, contracts } = sumsContracts();
const platform = 'removed';
const other = 'removed-not';

beforeAll(async () => {
  rabbit = await emptyRabbit();
  management = new Management(rabbit.managementUrl ?? '');
});
afterAll(async () => {
  await broker?.close();
  await rabbit.dispose();
});

const access = () => ({ managementUrl: rabbit.managementUrl ?? '', amqpUrl: rabbit.url });

async function startService(name: string): Promise<Broker> {
  const log = quietLog();
  const options = { url: rabbit.url, service: owner, log, newQueueWaitMs: 0 };
  const connected = await connectBroker({ ...options, platform: name, installation: 'first' });
  await connected.serve({
    owner,
    contracts,
    handlers: {
      add: async ({ body }) => ({ body: { sum: body.a + body.b }, meta: { created: true } }),
      keep: async () => ({}),
      find: async ({ params }) => ({ body: { id: params.id } }),
      echo: async ({ body }) => ({ body }),
    },
  });
  await connected.subscribe({
    queue: `${owner}.on-happened`,
    subscriptions: [on(thingHappened(`${owner}.happened`), async () => {})],
  });
  return connected;
}

async function objects(name: string): Promise<string[]> {
  const vhost = decodeURIComponent(new URL(rabbit.url).pathname.slice(1)) || '/';
  const kinds = [['queues', vhost], ['exchanges', vhost], ['policies', vhost], ['users']];
  const names = (await Promise.all(kinds.map((kind) => management.list(kind)))).flat();
  return names.filter((each) => each.startsWith(`${name}.`));
}

it('refuses a running platform; removes everything of a stopped one, and nothing of its neighbour', async () => {
  const neighbour = await startService(other);
  await neighbour.close();
  broker = await startService(platform);
  await boundCommands({ ...access(), platform, bytesMax: 1_000 });
  await integratorAccess({ ...access(), platform, queueBytesMax: 1_000_000 }).open({
    ...{ retailer: 'demo', name: 'shop', routingKeys: ['#'] },
    passwordHash: hashedPassword('secret'),
  });
  await broker.send(contracts.keep, { body: { n: 1 } }, callOf());
  const removal = { url: rabbit.url, managementUrl: rabbit.managementUrl, platform, owners: [owner] };
  await expect(removePlatform(removal)).rejects.toThrow('is running');
  await broker.close();

  const before = await objects(other);
  expect((await objects(platform)).length).toBeGreaterThan(before.length);
  await expect(claimPlatform(rabbit.url, platform, 'second')).rejects.toThrow(platform);
  await removePlatform(removal);
  expect(await objects(platform)).toEqual([]);
  expect((await objects(other)).sort()).toEqual(before.sort());
  await claimPlatform(rabbit.url, platform, 'second');
}, 120_000);

it('without a management interface, removes everything that the services have declared', async () => {
  const stopped = await startService('bare');
  await stopped.close();
  expect((await objects('bare')).length).toBeGreaterThan(10);
  await removePlatform({ url: rabbit.url, managementUrl: undefined, platform: 'bare', owners: [owner] });
  expect(await objects('bare')).toEqual([]);
}, 120_000);
