import { subscriptionQueues } from '@receipts/contracts';
import { defineCommand, type EventContract } from '@receipts/kernel';
import { connectBroker, on, type Broker } from '@receipts/messaging';
import { callOf, emptyRabbit, silentLog as log, type RabbitForTests } from '@receipts/testing';
import { claimPlatform, removePlatform } from './platform-removal';

let rabbit: RabbitForTests;
let broker: Broker | undefined;
const owner = 'sums';
const platform = 'removed';
const other = 'removed-not';
const keep = defineCommand(
  { name: `${owner}.keep`, summary: 'A sum', description: 'For tests.' },
  { oneWay: () => true },
);
const kept = { type: `${owner}.kept` } as EventContract;

beforeAll(async () => {
  rabbit = await emptyRabbit();
});
afterAll(async () => {
  await broker?.close();
  await rabbit.dispose();
});

/** Calls the broker's management interface; resolves to the body of the response. */
async function manage(method: 'GET' | 'PUT', path: readonly string[], body?: object): Promise<unknown> {
  const { origin, username, password } = new URL(rabbit.managementUrl ?? '');
  const response = await fetch(`${origin}/api/${path.map(encodeURIComponent).join('/')}`, {
    method,
    headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${response.status} to ${method} ${path.join('/')}`);
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

const vhost = () => decodeURIComponent(new URL(rabbit.url).pathname.slice(1)) || '/';

async function startService(name: string): Promise<Broker> {
  const options = { url: rabbit.url, service: owner, log, newQueueWaitMs: 0 };
  const connected = await connectBroker({ ...options, platform: name, installation: 'first' });
  await connected.serve({ owner, contracts: { keep }, handlers: { keep: async () => ({}) } });
  await connected.subscribe({
    queue: subscriptionQueues.events,
    subscriptions: [on(kept, async () => {})],
  });
  return connected;
}

async function objects(name: string): Promise<string[]> {
  const kinds = [['queues', vhost()], ['exchanges', vhost()], ['policies', vhost()], ['users']];
  const lists = await Promise.all(kinds.map((kind) => manage('GET', kind)));
  const names = (lists as { name: string }[][]).flat().map((object) => object.name);
  return names.filter((each) => each.startsWith(`${name}.`));
}

it('refuses to remove a running platform, and removes all data of a stopped platform but nothing of another platform', async () => {
  const neighbour = await startService(other);
  await neighbour.close();
  broker = await startService(platform);
  await manage('PUT', ['policies', vhost(), `${platform}.bounded`], {
    pattern: `^${platform}`,
    'apply-to': 'queues',
    definition: { 'max-length-bytes': 1_000_000 },
  });
  await manage('PUT', ['exchanges', vhost(), `${platform}.events.of.demo`], { type: 'topic' });
  await manage('PUT', ['queues', vhost(), `${platform}.subscriptions.demo.shop`], { durable: true });
  await manage('PUT', ['users', `${platform}.subscriptions.demo.shop`], { password: 'secret', tags: '' });
  await broker.send(keep, {}, callOf('demo'));
  const removal = { url: rabbit.url, managementUrl: rabbit.managementUrl, platform, owners: [owner] };
  await expect(removePlatform(removal)).rejects.toThrow('is running');
  await broker.close();

  const before = await objects(other);
  // A service that runs for a moment also has a queue for its pulse.
  const lasting = (await objects(platform)).filter((name) => !name.endsWith('.pulse'));
  expect(lasting.length).toBe(before.filter((name) => !name.endsWith('.pulse')).length + 4);
  await expect(claimPlatform(rabbit.url, platform, 'second')).rejects.toThrow(platform);
  await removePlatform(removal);
  expect(await objects(platform)).toEqual([]);
  expect((await objects(other)).sort()).toEqual(before.sort());
  await claimPlatform(rabbit.url, platform, 'second');
});

it('removes everything that the services have declared if there is no management interface', async () => {
  const stopped = await startService('bare');
  await stopped.close();
  expect((await objects('bare')).length).toBeGreaterThan(10);
  await removePlatform({ url: rabbit.url, managementUrl: undefined, platform: 'bare', owners: [owner] });
  expect(await objects('bare')).toEqual([]);
});
