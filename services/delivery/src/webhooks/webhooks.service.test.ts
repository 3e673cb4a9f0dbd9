import { createHash } from 'node:crypto';
import type { ReturnedReceipt, WebhookDelivery } from '@receipts/contracts';
import { newId, ServiceError, timestampOf, unavailable, type CloudEvent } from '@receipts/kernel';
import { silentLog } from '@receipts/testing';
import { Webhook } from 'standardwebhooks';
import { deleteOldEvents } from '../events/use-cases/event-retention';
import { ErasableEvents } from '../events/storage/erasable-events';
import { EventLog, type LoggedEvent } from '../events/storage/event-log';
import { startReceiver, type Receiver } from '../testing/receiver';
import { callOf, createdEvent, receiptOf, retailerOf } from '../testing/samples';
import { startWorld, type World } from '../testing/world';
import { WebhookDeliveries } from './storage/webhook-deliveries';
import type { WebhookDeliveryDocument } from './storage/webhook-delivery-document';

let world: World;
let retailer: string;
let receiver: Receiver;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(async () => {
  retailer = `r-${newId()}`;
  world.retailers.set(retailer, retailerOf(retailer));
  world.now = new Date();
  world.foundStore = null;
  world.ended.length = 0;
  receiver = await startReceiver();
});
afterEach(() => receiver.close());
afterAll(() => world.close());

const hourMs = 3_600_000;
const call = () => callOf(retailer);
const create = async (body: object = {}) =>
  (await world.ask('createWebhookEndpoint', { body: { url: receiver.url, ...body } }, call())).body;
const deliveries = async (id: string, query: object = {}): Promise<WebhookDelivery[]> =>
  (await world.ask('listWebhookDeliveries', { params: { id }, query: query as never }, call())).body
    .deliveries;
const endpoint = async (id: string) =>
  (await world.ask('getWebhookEndpoint', { params: { id } }, call())).body;
const created = (change: Partial<ReturnedReceipt> = {}): CloudEvent => {
  const receipt = receiptOf(change);
  world.receipts.set(receipt.id, { retailer, receipt });
  return { ...createdEvent(retailer, receipt), time: world.now.toISOString() };
};
const eventOf = (type: string, data: object): CloudEvent => ({ ...created(), type, data, subject: newId() });
const happen = async (...events: CloudEvent[]) =>
  expect((await world.deliver(...events)).filter(Boolean)).toEqual([]);
const settled = (id: string, count: number) =>
  world.until(`${count} deliveries are settled`, async () => {
    const found = await deliveries(id);
    return found.length === count && found.every(({ status }) => status !== 'pending');
  });
const attempted = (id: string, attempts: number) =>
  world.until(`${attempts} attempts`, async () => {
    const [first] = await deliveries(id);
    return first?.log.length === attempts;
  });
/** Deliveries of earlier tests may end meanwhile. */
const ended = (expected: string) => world.until('it is counted', () => world.ended.includes(expected));
const pass = (ms: number) => (world.now = new Date(world.now.getTime() + ms));

describe('a delivery', () => {
  it('posts the event once, as a Standard Webhooks message', async () => {
    const { id, secret } = await create({ payload: 'full' });
    const event = created();
    await happen(event, event);
    await happen(event);
    await settled(id, 1);
    expect(receiver.received).toHaveLength(1);
    const [{ headers, text, body }] = receiver.received as [Receiver['received'][0]];
    expect(new Webhook(String(secret)).verify(text, headers)).toEqual(body);
    expect(headers).toMatchObject({ 'webhook-id': event.id, 'content-type': 'application/json' });
    expect(body).toEqual({
      type: 'receipt.created',
      timestamp: event.time.replace('Z', '+00:00'),
      data: event.data,
    });
    const [delivery] = await deliveries(id);
    expect(delivery).toMatchObject({
      endpoint_id: id,
      event_id: event.id,
      type: 'receipt.created',
      status: 'succeeded',
      reason: null,
      attempts: 1,
      next_attempt_timestamp: null,
      log: [{ outcome: 'succeeded', request: { url: receiver.url }, response: { status: 204 } }],
    });
    expect(JSON.stringify(delivery)).not.toContain('v1,');
    const ids = [delivery?.id ?? '', 'unknown'];
    const found = await world.ask('findWebhookBodies', { body: { endpoint_id: id, ids } }, call());
    expect(found.body.bodies).toEqual([text, null]);
  });

  it('is thin unless the endpoint requests the full payload', async () => {
    const { id } = await create();
    const event = created();
    await happen(event);
    await settled(id, 1);
    expect(receiver.received[0]?.body.data).toEqual({ id: event.subject, identifier: null });
  });

  it('is sent to the retailer’s endpoints that subscribe to its type', async () => {
    const [all, receipts, stores] = [
      await create(),
      await create({ event_types: ['receipt.*'] }),
      await create({ event_types: ['store.*', 'client.created'] }),
    ];
    const other = `r-${newId()}`;
    world.retailers.set(other, retailerOf(other));
    const { receipt } = created().data as { receipt: ReturnedReceipt };
    await happen(created(), eventOf('store.created', { id: 1 }), createdEvent(other, receipt));
    await settled(all.id, 2);
    await settled(receipts.id, 1);
    await settled(stores.id, 1);
    expect((await deliveries(stores.id))[0]?.type).toBe('store.created');
    expect(await world.database.db.collection('event_log').countDocuments({ retailer: other })).toBe(0);
  });

  it('is filtered by the receipt, even if the event does not contain it', async () => {
    const { id } = await create({ filter: '+items.name:coffee +total:[10 TO *]' });
    const [dear, cheap] = [created({ total: 12 }), created({ total: 3 })];
    const assigned = { ...eventOf('receipt.assigned', { id: dear.subject }), subject: dear.subject };
    const other = { ...eventOf('receipt.assigned', { id: cheap.subject }), subject: cheap.subject };
    await happen(dear, cheap, assigned, other, eventOf('store.created', { id: 1 }));
    await settled(id, 3);
    const got = (await deliveries(id)).map(({ event_id: event }) => event).sort();
    const all = await world.database.db
      .collection('event_log')
      .find({ retailer, type: 'store.created' })
      .toArray();
    expect(got).toEqual([dear.id, assigned.id, String(all[0]?._id)].sort());
  });

  it('is filtered by any name of its store', async () => {
    world.foundStore = { id: 7, reference: 42, external_reference: 'north' };
    const { id } = await create({ filter: '+store_id:7 +external_store_reference:north' });
    await happen(created());
    await settled(id, 1);
  });

  it('does not wait for what the filter of another endpoint needs', async () => {
    const filtered = await create({ filter: 'total:* -checks:failed' });
    const plain = await create();
    const event = created();
    world.refusals.set('receipt-store.get-receipt', [new ServiceError(unavailable)]);
    expect(await world.deliver(event)).toEqual([expect.objectContaining({ status: 503 })]);
    await settled(plain.id, 1);
    await happen(event);
    await settled(filtered.id, 1);
    expect(await deliveries(plain.id)).toHaveLength(1);
  });

  it('is created for later events if those of one event can never be created', async () => {
    const { id } = await create({ filter: 'total:* -checks:failed' });
    world.refusals.set('receipt-store.get-receipt', [new ServiceError({ status: 400, description: 'odd' })]);
    const later = created();
    await happen(created());
    await happen(later);
    await settled(id, 1);
    expect((await deliveries(id))[0]?.event_id).toBe(later.id);
  });

  it('is not created for events from before the endpoint, or while it is disabled', async () => {
    const earlier = await create();
    const before = created();
    await happen(before);
    const { id } = await create();
    // Redelivered, together with a new event.
    await happen(before, created());
    await settled(id, 1);
    await settled(earlier.id, 2);
  });

  it('is created for every event after the endpoint, whatever the clock of its service', async () => {
    await create();
    await happen(created());
    const { id } = await create();
    const hours = [-24, -1, 1, 24];
    for (const n of hours) {
      await happen({ ...created(), time: new Date(world.now.getTime() + n * hourMs).toISOString() });
    }
    await settled(id, hours.length);
  });

  it('is not created while the endpoint is disabled', async () => {
    const { id } = await create();
    await world.ask('patchWebhookEndpoint', { params: { id }, body: { enabled: false } }, call());
    await happen(created());
    await world.ask('patchWebhookEndpoint', { params: { id }, body: { enabled: true } }, call());
    await happen(created());
    await settled(id, 1);
  });
});

describe('a delivery that is pending for longer than its retailer keeps events', () => {
  const dayMs = 24 * hourMs;
  const trim = () => {
    const { db } = world.database;
    const logged = db.collection<LoggedEvent>('event_log');
    return deleteOldEvents({
      eventLog: new EventLog(logged),
      erasableEvents: new ErasableEvents(logged),
      webhooks: new WebhookDeliveries(db.collection<WebhookDeliveryDocument>('webhook_deliveries')),
      retailer: (id) => Promise.resolve(world.retailers.get(id) ?? retailerOf(id)),
      log: silentLog,
      now: () => world.now,
    });
  };
  const stored = (endpointId: string) => {
    const found = world.database.db.collection<WebhookDeliveryDocument>('webhook_deliveries');
    return found.findOne({ endpointId });
  };
  const pendingForTwoDays = async () => {
    world.retailers.set(retailer, retailerOf(retailer, { event_days: 1 }));
    const { id } = await create();
    const since = world.now;
    receiver.answer = { status: 500 };
    await happen(created());
    await attempted(id, 1);
    for (const [n, hours] of [1, 1, 1, 3, 6, 11, 15].entries()) {
      pass(hours * hourMs);
      await attempted(id, n + 2);
    }
    await trim();
    expect(world.now.getTime() - since.getTime()).toBeGreaterThan(dayMs);
    expect(await stored(id)).not.toHaveProperty('endedAt');
    return id;
  };

  it('keeps its event, and can still succeed', async () => {
    const id = await pendingForTwoDays();
    receiver.answer = { status: 200 };
    pass(21 * hourMs);
    await settled(id, 1);
    expect((await deliveries(id))[0]).toMatchObject({ status: 'succeeded' });
    const { endedAt, expiresAt } = (await stored(id)) ?? {};
    expect(endedAt).toEqual(world.now);
    expect(expiresAt?.getTime()).toBe(world.now.getTime() + dayMs);
    await happen(created());
    await settled(id, 2);
    expect(await trim()).toBe(1);
  });

  it('is shown as failed if its endpoint is disabled, and can be pending again', async () => {
    const id = await pendingForTwoDays();
    receiver.answer = { status: 410 };
    pass(21 * hourMs);
    await settled(id, 1);
    expect((await deliveries(id))[0]).toMatchObject({ status: 'failed', reason: 'gone' });
    expect((await stored(id))?.expiresAt.getTime()).toBe(world.now.getTime() + dayMs);
    await world.ask('patchWebhookEndpoint', { params: { id }, body: { enabled: true } }, call());
    receiver.answer = { status: 500 };
    const [failed] = await deliveries(id);
    await world.ask('replayWebhookDelivery', { params: { id: String(failed?.id) } }, call());
    await world.until('the attempt', async () => (await stored(id))?.reason === 'status');
    expect(await stored(id)).not.toHaveProperty('endedAt');
  });

  it('expires only once it has ended', async () => {
    const indexes = await world.database.db.collection('webhook_deliveries').indexes();
    const expiry = { expireAfterSeconds: 0, partialFilterExpression: { endedAt: { $exists: true } } };
    expect(indexes.find(({ name }) => name === 'expiry')).toMatchObject(expiry);
  });
});

describe('a failure', () => {
  it('is retried until the schedule ends, and can then be replayed', async () => {
    const { id } = await create();
    receiver.answer = { status: 500 };
    await happen(created());
    await attempted(id, 1);
    expect((await deliveries(id))[0]).toMatchObject({ status: 'pending', reason: 'status', attempts: 1 });
    expect((await endpoint(id)).failing_since).not.toBeNull();
    const pausesHours = [1, 1, 1, 3, 6, 11, 15, 21, 25];
    for (const [n, hours] of pausesHours.entries()) {
      pass(hours * hourMs);
      await attempted(id, n + 2);
    }
    await settled(id, 1);
    expect((await deliveries(id))[0]).toMatchObject({
      status: 'failed',
      reason: 'attempts_exhausted',
      attempts: 10,
    });
    await ended('webhook failed attempts_exhausted');
    receiver.answer = { status: 200 };
    const [failed] = await deliveries(id, { status: 'failed' });
    await world.ask('replayWebhookDelivery', { params: { id: String(failed?.id) } }, call());
    await world.until('it succeeded', async () => (await deliveries(id))[0]?.status === 'succeeded');
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect((await endpoint(id)).failing_since).toBeNull();
  });

  it('can be replayed before its next attempt is due, but not during an attempt', async () => {
    const { id } = await create();
    const replies: ((answer: { status: number }) => void)[] = [];
    receiver.hold = (reply) => void replies.push(reply);
    await happen(created());
    await world.until('an attempt is being made', () => replies.length === 1);
    const [pending] = await deliveries(id);
    const replay = (from = call()) =>
      world.ask('replayWebhookDelivery', { params: { id: String(pending?.id) } }, from);
    const refusal: unknown = await replay().catch((error: unknown) => error);
    expect([(refusal as ServiceError).status, (refusal as ServiceError).code]).toEqual([
      409,
      'delivery_in_progress',
    ]);
    // Nothing was restarted, and the outcome of the attempt is recorded.
    expect((await deliveries(id))[0]).toMatchObject({ status: 'pending', attempts: 1 });
    replies[0]?.({ status: 500 });
    await attempted(id, 1);
    expect((await deliveries(id))[0]).toMatchObject({ status: 'pending', reason: 'status', attempts: 1 });
    await replay();
    await world.until('the next attempt is being made', () => replies.length === 2);
    replies[1]?.({ status: 204 });
    await settled(id, 1);
    expect((await deliveries(id))[0]).toMatchObject({ status: 'succeeded', attempts: 1 });
    expect(receiver.received).toHaveLength(2);
  });

  it('with 410 disables the endpoint and publishes an event', async () => {
    const { id } = await create({ description: 'old shop' });
    receiver.answer = { status: 410 };
    await happen(created());
    await settled(id, 1);
    await world.until('it is disabled', async () => !(await endpoint(id)).enabled);
    expect((await endpoint(id)).disabled_reason).toBe('gone');
    await ended('webhook failed gone');
    const published = () => world.events.filter((event) => event.retailer === retailer);
    await world.until('it was published', () => published().length > 0);
    expect(published()).toMatchObject([
      {
        type: 'webhook.endpoint_disabled',
        subject: id,
        data: { id, description: 'old shop', reason: 'gone', failing_since: timestampOf(world.now) },
      },
    ]);
    expect(JSON.stringify(published())).not.toContain('127.0.0.1');
  });

  it('with Retry-After pauses the whole endpoint', async () => {
    const { id } = await create();
    receiver.answer = { status: 429, headers: { 'retry-after': '3600' } };
    await happen(created());
    await attempted(id, 1);
    await happen(created());
    pass(hourMs - 1_000);
    receiver.answer = { status: 200 };
    await world.until('a look', async () => (await deliveries(id)).length === 2);
    expect(receiver.received).toHaveLength(1);
    pass(2_000);
    await settled(id, 2);
  });

  it('for five days disables the endpoint; missed events are recovered', async () => {
    const { id } = await create();
    receiver.answer = { status: 503 };
    const first = created();
    await happen(first);
    await attempted(id, 1);
    pass(5 * 24 * hourMs);
    await world.until('it is disabled', async () => (await endpoint(id)).disabled_reason === 'failing');
    await settled(id, 1);
    const missed = created();
    await happen(missed);
    const recover = { params: { id }, body: { since: first.time } };
    const refusal: unknown = await world
      .ask('recoverWebhookEndpoint', recover, call())
      .catch((error: unknown) => error);
    expect((refusal as ServiceError).code).toBe('endpoint_disabled');
    receiver.answer = { status: 200 };
    receiver.received.length = 0;
    await world.ask('patchWebhookEndpoint', { params: { id }, body: { enabled: true } }, call());
    expect(await endpoint(id)).toMatchObject({ enabled: true, disabled_reason: null, failing_since: null });
    await world.ask('recoverWebhookEndpoint', recover, call());
    await world.until('both events have arrived', () => receiver.received.length === 2);
    await settled(id, 2);
    expect(receiver.received.map(({ headers }) => headers['webhook-id']).sort()).toEqual(
      [first.id, missed.id].sort(),
    );
    await world.ask(
      'recoverWebhookEndpoint',
      { ...recover, body: { ...recover.body, status: 'succeeded' } },
      call(),
    );
    await world.until('both events have arrived again', () => receiver.received.length === 4);
  });
});

it('delivers events while a recovery waits for another service', async () => {
  const { id } = await create({ filter: 'store_id:7', event_types: ['receipt.created'] });
  const first = created();
  await happen(first);
  await create({ event_types: ['store.updated'] });
  let release = () => {};
  const isAsked = new Promise<void>((resolve) =>
    world.afterAnswers.set('admin.find-store', () => {
      resolve();
      return new Promise<void>((wake) => (release = wake));
    }),
  );
  await world.ask('recoverWebhookEndpoint', { params: { id }, body: { since: first.time } }, call());
  await isAsked;
  await happen(eventOf('store.updated', { id: newId() }));
  await world.until('the event has arrived', () => receiver.received.length === 1);
  release();
});

describe('the response of a receiver', () => {
  const [jane, joe] = ['jane@example.com', 'joe@example.com'];
  const answers = async (id: string) => JSON.stringify((await deliveries(id)).map(({ log }) => log));

  it('is not kept once the consumer that it may name has been erased', async () => {
    const { id } = await create();
    receiver.answerTo = ({ text }) => {
      const about = text.includes(jane) ? jane : joe;
      return { status: 500, headers: { 'x-about': about }, body: `no room for ${about}` };
    };
    await happen(created({ identifier: jane }), created({ identifier: joe }));
    await world.until('both were tried', async () =>
      (await deliveries(id)).every(({ log }) => log.length === 1),
    );
    expect((await answers(id)).split(`no room for ${jane}`)).toHaveLength(2);
    const hash = createHash('sha256').update(jane).digest('hex');
    const erased = { ...eventOf('identifier.erased', { identifier_sha256: hash }), subject: hash };
    await happen(erased, erased);
    expect(await answers(id)).not.toContain(jane);
    expect((await answers(id)).split(`no room for ${joe}`)).toHaveLength(2);
    expect(await answers(id)).toContain('"status":500');
    const kept = await world.database.db.collection('webhook_deliveries').find({ retailer }).toArray();
    expect(JSON.stringify(kept)).not.toContain(jane);
  });

  it('to an attempt in progress during an erasure is not stored either', async () => {
    const { id } = await create();
    let answer = () => undefined as unknown;
    const asked = new Promise<void>((resolve) => {
      receiver.hold = (reply) => {
        answer = () => reply({ status: 200, body: `welcome, ${jane}` });
        resolve();
      };
    });
    const event = created({ identifier: jane });
    await happen(event);
    await asked;
    await world.ask('eraseAddresses', { body: { receipts: [event.subject] } }, call());
    answer();
    await settled(id, 1);
    expect((await deliveries(id))[0]?.log[0]).toMatchObject({ response: { status: 200, body: '' } });
  });
});

describe('secrets', () => {
  it('include the previous secret for a day after a rotation', async () => {
    const { id, secret } = await create();
    const rotated = (await world.ask('rotateWebhookSecret', { params: { id } }, call())).body.secret;
    expect(rotated).not.toBe(secret);
    const verifiedBy = async (known: string | null) => {
      await happen(created());
      await world.until('the event has arrived', () => receiver.received.length > 0);
      const [{ text, headers }] = receiver.received.splice(0) as [Receiver['received'][0]];
      // The library also checks the time, which is not tested here.
      const timestamp = new Date(Number(headers['webhook-timestamp']) * 1_000);
      const signature = new Webhook(String(known)).sign(String(headers['webhook-id']), timestamp, text);
      return headers['webhook-signature']?.split(' ').includes(signature);
    };
    expect(await verifiedBy(secret)).toBe(true);
    expect(await verifiedBy(rotated)).toBe(true);
    pass(24 * hourMs);
    expect(await verifiedBy(secret)).toBe(false);
    expect(await verifiedBy(rotated)).toBe(true);
  });
});

describe('a test event', () => {
  it('is attempted once, even for a disabled endpoint, and shows its result', async () => {
    const { id } = await create({ enabled: false });
    receiver.answer = { status: 500 };
    const test = (await world.ask('testWebhookEndpoint', { params: { id } }, call())).body;
    await settled(id, 1);
    expect(await deliveries(id)).toMatchObject([
      { id: test.id, type: 'webhook.test', status: 'failed', reason: 'status', attempts: 1 },
    ]);
    expect(receiver.received[0]?.body).toMatchObject({ type: 'webhook.test', data: { endpoint_id: id } });
    expect(world.ended).not.toContain('webhook failed status');
    expect((await endpoint(id)).failing_since).toBeNull();
  });
});

it('lists deliveries by status and type, newest first, page by page', async () => {
  const { id } = await create();
  for (let n = 0; n < 3; n++) {
    await happen(created());
    pass(1_000);
  }
  await happen(eventOf('store.created', { id: 1 }));
  await settled(id, 4);
  expect((await deliveries(id, { type: 'receipt.*' })).length).toBe(3);
  expect((await deliveries(id, { type: 'fax.*' })).length).toBe(0);
  expect((await deliveries(id, { status: 'pending' })).length).toBe(0);
  const all = await deliveries(id);
  const page = await world.ask(
    'listWebhookDeliveries',
    { params: { id }, query: { count: 2, status: 'succeeded' } as never },
    call(),
  );
  expect(page.body.deliveries).toEqual(all.slice(0, 2));
  const href = page.body._links.next?.href;
  expect(href).toBe(`/webhooks/endpoints/${id}/deliveries?count=2&older=${all[1]?.id}&status=succeeded`);
  expect(await deliveries(id, { count: 2, older: all[1]?.id })).toEqual(all.slice(2));
});
