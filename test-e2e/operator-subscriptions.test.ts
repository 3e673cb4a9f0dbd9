import { until } from '@receipts/testing';
import amqp, { type ChannelModel } from 'amqplib';
import type { Client, TestRetailer } from './harness/client';
import type { HttpResponse } from './harness/http';
import { aReceipt } from './harness/receipts';
import { anonymous, aRetailer, operator } from './harness/shared-platform';

interface Subscription {
  readonly name: string;
  readonly queue: string;
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

let api: Client;
let retailer: TestRetailer;
let other: TestRetailer;

beforeAll(async () => {
  [api, retailer, other] = await Promise.all([operator(), aRetailer(), aRetailer()]);
});

const pathOf = ({ id }: { id: string }, name?: string) =>
  `/operator/retailers/${id}/subscriptions${name === undefined ? '' : `/${name}`}`;
const remove = (of: { id: string }, name: string) => api.call(pathOf(of, name), { method: 'DELETE' });
const expectError = (answer: HttpResponse, status: number, code: string) =>
  expect([answer.status, answer.body.code]).toEqual([status, code]);
const listed = async (of: { id: string }) =>
  (await api.get(pathOf(of))).body.subscriptions as Record<string, unknown>[];
const post = async (of: TestRetailer) => (await of.api.post('/receipts', aReceipt())).body.id as string;

async function subscribe(of: TestRetailer, name: string, types?: string[]): Promise<Subscription> {
  const answer = await api.post(pathOf(of), { name, ...(types && { types }) });
  expect([answer.status, answer.headers.location]).toEqual([201, pathOf(of, name)]);
  return answer.body as Subscription;
}

function connect({ url, user, password }: Subscription): Promise<ChannelModel> {
  const address = new URL(url);
  address.username = user;
  address.password = password;
  return amqp.connect(address.href).then((connection) => {
    connection.on('error', () => undefined);
    return connection;
  });
}

/** Consumes a subscription as an integrator does. */
async function consume(subscription: Subscription) {
  const connection = await connect(subscription);
  const channel = await connection.createChannel();
  const events: { type: string; subject: string; retailer: string }[] = [];
  await channel.consume(subscription.queue, (message) => {
    if (!message) return;
    events.push(JSON.parse(message.content.toString()) as (typeof events)[number]);
    channel.ack(message);
  });
  return { events, close: () => connection.close() };
}

it('provides a queue with the requested event types of one retailer', async () => {
  const [receipts, stores, theirs] = await Promise.all([
    subscribe(retailer, 'receipts', ['receipt.*']),
    subscribe(retailer, 'stores', ['store.created', 'store.upd*']),
    subscribe(other, 'receipts'),
  ]);
  const [own, ofStores, strange] = await Promise.all([consume(receipts), consume(stores), consume(theirs)]);
  const ids = await Promise.all([post(retailer), post(retailer), post(other), post(retailer)]);
  await retailer.api.post('/stores', { name: 'Here', country: 'FRA' });
  const strangers = ids.splice(2, 1);
  const created = (events: { type: string; subject: string }[]) =>
    events.filter(({ type }) => type === 'receipt.created').map(({ subject }) => subject);
  await until('events', () => created(own.events).length >= 3 && ofStores.events.length >= 1);
  await until("the other retailer's events", () => created(strange.events).length >= 1);
  expect(created(own.events).sort()).toEqual([...ids].sort());
  expect(created(strange.events)).toEqual(strangers);
  expect(new Set(own.events.map((event) => event.retailer))).toEqual(new Set([retailer.id]));
  expect(new Set(strange.events.map((event) => event.retailer))).toEqual(new Set([other.id]));
  expect(own.events.every(({ type }) => type.startsWith('receipt.'))).toBe(true);
  expect(ofStores.events.map(({ type }) => type)).toEqual(['store.created']);
  await Promise.all([own.close(), ofStores.close(), strange.close()]);
});

it('keeps events while there is no consumer', async () => {
  const subscription = await subscribe(retailer, 'away', ['receipt.created']);
  const ids = await Promise.all([post(retailer), post(retailer)]);
  const { events, close } = await consume(subscription);
  await until('both', () => events.length >= 2);
  expect(events.map(({ subject }) => subject).sort()).toEqual([...ids].sort());
  await close();
});

it('moves an event that a consumer always rejects to the dead letters, from which it can be replayed', async () => {
  const subscription = await subscribe(retailer, 'rejecting', ['receipt.created']);
  const { queues } = (await api.get('/operator/status')).body as { queues: { queue: string }[] };
  expect(queues.map(({ queue }) => queue)).toContain('subscriptions');
  const id = await post(retailer);
  const connection = await connect(subscription);
  const channel = await connection.createChannel();
  let deliveries = 0;
  await channel.prefetch(1);
  const { consumerTag } = await channel.consume(subscription.queue, (message) => {
    deliveries++;
    if (message) channel.reject(message, true);
  });
  interface Letter {
    readonly id: string;
    readonly type: string;
    readonly retailer: string;
    readonly reason: string;
  }
  const letter = await until('it is a dead letter', async () => {
    const { body } = await api.get('/operator/messages/dead-letters?queue=subscriptions');
    return (body.messages as Letter[]).find((each) => each.retailer === retailer.id);
  });
  expect(letter).toMatchObject({ type: 'receipt.created', reason: 'delivery_limit', queue: 'subscriptions' });
  expect(deliveries).toBeLessThan(30);
  await channel.cancel(consumerTag);
  const replayed = await api.post('/operator/messages/dead-letters/_replay', {
    queue: 'subscriptions',
    ids: [letter.id],
  });
  expect([replayed.status, replayed.body]).toEqual([200, { replayed: 1 }]);
  await connection.close();
  const { events, close } = await consume(subscription);
  await until('it arrives again', () => events.length > 0);
  expect(events.map(({ subject }) => subject)).toEqual([id]);
  await close();
});

it('gives its user no other permissions', async () => {
  const [own, theirs] = await Promise.all([subscribe(retailer, 'alone'), subscribe(other, 'alone')]);
  const exchange = `${own.queue.split('.')[0] ?? ''}.events`;
  const attempts: Record<string, (channel: amqp.Channel) => Promise<unknown>> = {
    "read another's queue": (channel) => channel.get(theirs.queue),
    "consume another's queue": (channel) => channel.consume(theirs.queue, () => undefined),
    'read a queue of the platform': (channel) =>
      channel.get(`${own.queue.split('.')[0] ?? ''}.delivery.commands`),
    "empty another's queue": (channel) => channel.purgeQueue(theirs.queue),
    'delete its queue': (channel) => channel.deleteQueue(own.queue),
    'make a queue': (channel) => channel.assertQueue('x'),
    'make a private queue': (channel) => channel.assertQueue('', { exclusive: true }),
    'make an exchange': (channel) => channel.assertExchange('x', 'fanout'),
    'bind its queue to all events': (channel) => channel.bindQueue(own.queue, exchange, '#'),
    'delete the exchange': (channel) => channel.deleteExchange(exchange),
    // A rejected publication closes the channel, so that the next request on it fails.
    'publish an event': async (channel) => {
      channel.publish(exchange, 'receipt.created', Buffer.from('{}'));
      await channel.get(own.queue);
    },
    'write to a queue': async (channel) => {
      channel.sendToQueue(theirs.queue, Buffer.from('{}'));
      await channel.get(own.queue);
    },
  };
  const connection = await connect(own);
  for (const [what, attempt] of Object.entries(attempts)) {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    const refusal = await attempt(channel).then(
      () => `may ${what}`,
      (error: Error) => error.message,
    );
    expect(refusal).toMatch(/ACCESS[_-]REFUSED|closed/i);
  }
  await connection.close();
  const vhost = new URL(own.url);
  vhost.pathname = '/another';
  await expect(connect({ ...own, url: vhost.href })).rejects.toThrow();
});

it('is listed without its password and ends when it is deleted', async () => {
  const subscription = await subscribe(retailer, 'short', ['delivery.*']);
  const { password, ...shown } = subscription;
  expect(password.length).toBeGreaterThan(30);
  expect(await listed(retailer)).toContainEqual(shown);
  expect(await listed(other)).not.toContainEqual(shown);
  expectError(await remove(other, 'short'), 404, 'not_found');

  const connection = await connect(subscription);
  const ended = new Promise((resolve) => connection.once('close', resolve));
  expect((await remove(retailer, 'short')).status).toBe(204);
  await ended;
  await expect(connect(subscription)).rejects.toThrow();
  expectError(await remove(retailer, 'short'), 404, 'not_found');
  expect(JSON.stringify(await listed(retailer))).not.toContain('"short"');
});

it('omits the password from the response to a retry, and rejects a second request', async () => {
  const headers = { 'idempotency-key': `subscription ${retailer.id}` };
  const first = await api.post(pathOf(retailer), { name: 'once' }, headers);
  const again = await api.post(pathOf(retailer), { name: 'once' }, headers);
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body).toEqual({ ...first.body, password: null });
  expectError(await api.post(pathOf(retailer), { name: 'once' }), 409, 'subscription_exists');
  // The password of the first response is still valid.
  await (await connect(first.body as Subscription)).close();
});

it.each<[string, object, string]>([
  ['a missing name', {}, '/name'],
  ['a name with capitals', { name: 'Shop' }, '/name'],
  ['a name with a dot', { name: 'a.b' }, '/name'],
  ['a pattern as a name', { name: '.*' }, '/name'],
  ['a name of 41 letters', { name: 'a'.repeat(41) }, '/name'],
  ['an unknown type', { name: 'a', types: ['receipt.*', 'fax.sent'] }, '/types/1'],
  ['a broker routing key', { name: 'a', types: ['#'] }, '/types/0'],
  ['missing types', { name: 'a', types: [] }, '/types'],
  ['an unknown member', { name: 'a', queue: 'x' }, '/queue'],
])('returns 422 for %s', async (_what, body, path) => {
  const answer = await api.post(pathOf(retailer), body);
  expectError(answer, 422, 'schema_validation_failed');
  expect(answer.body.errors.map((error: { path: string }) => error.path)).toEqual([path]);
});

it('allows at most twenty per retailer', async () => {
  const crowded = await aRetailer();
  const names = Array.from({ length: 20 }, (_, n) => `n${n}`);
  for (const name of names) await subscribe(crowded, name, ['store.created']);
  expectError(await api.post(pathOf(crowded), { name: 'one-more' }), 422, 'too_many');
  expect((await listed(crowded)).map(({ name }) => name)).toEqual([...names].sort());
});

it('is available only to the operator, and only for existing retailers', async () => {
  const nobody = await anonymous();
  for (const client of [nobody, retailer.api]) {
    const status = client === nobody ? 401 : 403;
    expect((await client.get(pathOf(retailer))).status).toBe(status);
    expect((await client.post(pathOf(retailer), { name: 'a' })).status).toBe(status);
    expect((await client.call(pathOf(retailer, 'a'), { method: 'DELETE' })).status).toBe(status);
  }
  expectError(await api.get(pathOf({ id: 'no-such' })), 404, 'not_found');
  expectError(await api.post(pathOf({ id: 'no-such' }), { name: 'a' }), 404, 'not_found');
  expectError(await remove({ id: 'no-such' }, 'a'), 404, 'not_found');
});
