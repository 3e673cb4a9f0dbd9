import { newId, type CloudEvent } from '@receipts/kernel';
import { startReceiver, type Receiver } from '../testing/receiver';
import { callOf, createdEvent, receiptOf, retailerOf, webhookParts } from '../testing/samples';
import { startWorld, startWorldOn, type World } from '../testing/world';

const attemptsMax = 3;
const retrySeconds = [0.02, 0.02];
/** The time from a process's crash until its deliveries can be taken over. */
const recoveryMaxMs = 9_000;

let world: World;
/** A second process of the service, on the same database. */
let other: World;
let retailer: string;
let receiver: Receiver;

/** Uses pauses short enough to wait for. */
const deps = () => {
  const { webhooks, ...rest } = webhookParts();
  return { ...rest, webhooks: { ...webhooks, retrySeconds } };
};

beforeAll(async () => {
  world = await startWorld(deps());
  other = await startWorldOn(world.database, deps());
});
beforeEach(async () => {
  retailer = `r-${newId()}`;
  world.retailers.set(retailer, retailerOf(retailer));
  other.retailers.set(retailer, retailerOf(retailer));
  for (const each of [world, other]) {
    Object.defineProperty(each, 'now', { get: () => new Date(), configurable: true });
  }
  receiver = await startReceiver();
});
afterEach(() => receiver.close());
afterAll(async () => {
  await other.stop();
  await world.close();
});

const call = () => callOf(retailer);
const create = async (body: object = {}) => {
  const posted = { url: receiver.url, ordering: 'subject', ...body };
  const { id } = (await world.ask('createWebhookEndpoint', { body: posted as never }, call())).body;
  // From now on, the other process receives events as well.
  await other.ask('listEvents', { query: {} as never }, call());
  return id;
};
const versionsOf = (count: number): CloudEvent[] => {
  const first = createdEvent(retailer, receiptOf());
  return Array.from({ length: count }, (_none, n) => ({
    ...first,
    id: newId(),
    type: n === 0 ? 'receipt.created' : 'receipt.updated',
    sequence: n + 1,
    time: new Date().toISOString(),
    data: { id: first.subject, version: n + 1 },
  }));
};
const viewOf = ({ subject }: CloudEvent, count: number): CloudEvent => ({
  ...createdEvent(retailer, receiptOf()),
  type: 'receipt.viewed',
  subject,
  sequence: count,
  data: { id: subject, view: count },
});
const happen = async (at: World, ...events: CloudEvent[]) =>
  expect((await at.deliver(...events)).filter(Boolean)).toEqual([]);
const statuses = async (endpoint: string) => {
  const input = { params: { id: endpoint }, query: {} as never };
  const { deliveries } = (await world.ask('listWebhookDeliveries', input, call())).body;
  return deliveries.map(({ status, reason }) => [status, reason]);
};
const settled = (endpoint: string, count: number) =>
  world.until(`${count} deliveries are settled`, async () => {
    const found = await statuses(endpoint);
    return found.length === count && found.every(([status]) => status !== 'pending');
  });
const came = () => receiver.received.map(({ body: { data } }) => data as { id: string; version: number });

it('keeps the order of each subject, with failures and two processes', async () => {
  const id = await create();
  const versions = 4;
  const subjects = Array.from({ length: 6 }, () => versionsOf(versions));
  const failures = new Map(
    subjects.flatMap((events, s) => events.map((event, v) => [event.id, (s * 2 + v * 3) % 5] as const)),
  );
  receiver.answerTo = ({ headers }) => {
    const event = String(headers['webhook-id']);
    const left = failures.get(event) ?? 0;
    failures.set(event, left - 1);
    return { status: left > 0 ? 500 : 204 };
  };
  // Another process receives every second version.
  for (const pair of [0, 2]) {
    const published = (offset: number) => subjects.map((events) => events[pair + offset] as CloudEvent);
    await happen(world, ...published(0));
    await happen(other, ...published(1));
  }
  await settled(id, subjects.length * versions);
  for (const [{ subject } = { subject: '' }] of subjects) {
    const attempts = came().filter((data) => data.id === subject);
    const order = attempts.map(({ version }) => version);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(new Set(order).size).toBe(versions);
  }
  const given = (await statuses(id)).filter(([status]) => status === 'failed');
  expect(given.length).toBeGreaterThan(0);
  expect(given.every(([, reason]) => reason === 'attempts_exhausted')).toBe(true);
  expect(came().length).toBeGreaterThan(subjects.length * versions);
  expect(attemptsMax).toBe(retrySeconds.length + 1);
});

describe('with a simulated clock', () => {
  const at = { now: new Date() };
  const pass = (ms: number) => (at.now = new Date(at.now.getTime() + ms));
  beforeEach(() => {
    at.now = new Date();
    for (const each of [world, other]) {
      Object.defineProperty(each, 'now', { get: () => at.now, configurable: true });
    }
  });

  const startThird = async () => {
    const third = await startWorldOn(world.database, deps());
    third.retailers.set(retailer, retailerOf(retailer));
    Object.defineProperty(third, 'now', { get: () => at.now, configurable: true });
    return third;
  };

  it('delivers an event that has overtaken its predecessors after them', async () => {
    const id = await create();
    const events = versionsOf(3);
    const [first, second, third] = events as [CloudEvent, CloudEvent, CloudEvent];
    for (const each of [world, other]) each.published.set(`${retailer}|receipt-store`, events);
    await happen(world, third);
    await happen(world, first);
    await happen(other, second);
    await settled(id, 3);
    expect(came().map(({ version }) => version)).toEqual([1, 2, 3]);
  });

  it('holds back a failing subject, with the reason, while others continue', async () => {
    const id = await create();
    const [first, second, third] = versionsOf(3) as [CloudEvent, CloudEvent, CloudEvent];
    const [quiet] = versionsOf(1) as [CloudEvent];
    receiver.answerTo = ({ headers }) => ({ status: headers['webhook-id'] === first.id ? 500 : 204 });
    await happen(world, third, second, first);
    await happen(world, quiet);
    await world.until('the rest waits', async () => {
      const reasons = (await statuses(id)).map(([, reason]) => reason);
      return reasons.filter((reason) => reason === 'earlier_event_pending').length === 2;
    });
    await world.until('the other subject is served', () => came().some((data) => data.id === quiet.subject));
    expect(came().filter((data) => data.id === first.subject && data.version > 1)).toEqual([]);
    receiver.answerTo = undefined;
    pass(1_000);
    await settled(id, 4);
    const order = came().filter((data) => data.id === first.subject);
    expect(order.map(({ version }) => version)).toEqual([1, 1, 2, 3]);
  });

  it('retries the unfinished work of a crashed process before later events', async () => {
    const id = await create();
    const events = versionsOf(2);
    receiver.answer = undefined;
    const dying = await startThird();
    await happen(dying, ...events);
    await world.until('the attempt has begun', () => came().length === 1);
    await dying.stop();
    receiver.answer = { status: 204 };
    pass(recoveryMaxMs);
    await settled(id, 2);
    const order = came().map(({ version }) => version);
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  it('sends nothing more from a process that was suspended while another took over', async () => {
    const id = await create();
    const events = versionsOf(2);
    const prototype = Object.getPrototypeOf(world.database.db.collection('any'));
    const suspended = await startThird();
    const { findOne, updateMany } = prototype;
    let resume: (() => void) | undefined;
    const renewals = jest.spyOn(prototype, 'updateMany').mockImplementation(function (this: any, ...args) {
      const isRenewal = this.collectionName === 'endpoint_leases';
      return isRenewal ? Promise.reject(new Error('suspended')) : updateMany.apply(this, args);
    });
    const reads = jest.spyOn(prototype, 'findOne').mockImplementation(async function (this: any, ...args) {
      const isFirst = this.collectionName === 'webhook_endpoints' && !resume;
      if (isFirst) await new Promise<void>((resolve) => (resume = resolve));
      return findOne.apply(this, args);
    });
    try {
      await happen(suspended, events[0] as CloudEvent);
      await world.until('the attempt has begun', () => resume !== undefined);
      await happen(other, events[1] as CloudEvent);
      pass(recoveryMaxMs);
      await settled(id, 2);
      resume?.();
      await suspended.stop();
      expect(came().map(({ version }) => version)).toEqual([1, 2]);
    } finally {
      renewals.mockRestore();
      reads.mockRestore();
    }
  });

  it('delivers a version at once if the one before it has no event', async () => {
    const id = await create();
    const [, second] = versionsOf(2) as [CloudEvent, CloudEvent];
    await happen(world, second);
    await settled(id, 1);
    expect(came().map(({ version }) => version)).toEqual([2]);
  });

  it('first delivers a version that is in the log but that its process could not deliver yet', async () => {
    const id = await create();
    const [first, second] = versionsOf(2) as [CloudEvent, CloudEvent];
    const prototype = Object.getPrototypeOf(world.database.db.collection('any'));
    const { insertMany } = prototype;
    const writes = jest.spyOn(prototype, 'insertMany').mockImplementation(function (this: any, ...args) {
      const isDelivery = this.collectionName === 'webhook_deliveries';
      return isDelivery ? Promise.reject(new Error('unavailable')) : insertMany.apply(this, args);
    });
    try {
      expect(await world.deliver(first)).toEqual([expect.objectContaining({ message: 'unavailable' })]);
    } finally {
      writes.mockRestore();
    }
    await happen(other, second);
    await world.until('the second has arrived', () => came().some(({ version }) => version === 2));
    await happen(world, first);
    await settled(id, 2);
    expect(came().map(({ version }) => version)).toEqual([1, 2]);
    expect(other.asked).not.toContain('receipt-store.find-published-events');
  });

  it('delivers an event that was logged late with those of its change, before the next change', async () => {
    const id = await create();
    const [first, updated] = versionsOf(2) as [CloudEvent, CloudEvent];
    const assigned = { ...first, id: newId(), type: 'receipt.assigned', data: { id: first.subject } };
    receiver.answer = { status: 500 };
    await happen(world, first);
    await world.until('the first was tried', () => came().length === 1);
    // Each type is a message of its own, and another process received the second event of the first change.
    await happen(world, updated);
    await happen(other, assigned);
    await world.until('both wait', async () => {
      const reasons = (await statuses(id)).map(([, reason]) => reason);
      return reasons.filter((reason) => reason === 'earlier_event_pending').length === 2;
    });
    receiver.answer = { status: 204 };
    pass(1_000);
    await settled(id, 3);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([
      first.id,
      first.id,
      assigned.id,
      updated.id,
    ]);
  });

  it('delivers views after their receipt, without delaying it', async () => {
    const id = await create();
    const [first, second] = versionsOf(2) as [CloudEvent, CloudEvent];
    const views = [viewOf(first, 1), viewOf(first, 2)];
    const failing = new Set([first.id]);
    receiver.answerTo = ({ headers }) => ({ status: failing.has(String(headers['webhook-id'])) ? 500 : 204 });
    await happen(world, first, ...views);
    await world.until('the first was tried', () => came().length === 1);
    await world.until('the views wait', async () => {
      const reasons = (await statuses(id)).map(([, reason]) => reason);
      return reasons.filter((reason) => reason === 'earlier_event_pending').length === 2;
    });
    failing.delete(first.id);
    failing.add((views[0] as CloudEvent).id);
    pass(1_000);
    await world.until('the first view has failed', () => came().length === 3);
    await happen(world, second);
    await world.until('the receipt’s events continue', () => came().length === 4);
    expect(came()[3]).toMatchObject({ version: 2 });
    failing.clear();
    pass(1_000);
    await settled(id, 4);
    expect(came().slice(4)).toMatchObject([{ view: 1 }, { view: 2 }]);
  });

  it('sends events independently to an endpoint without ordering', async () => {
    const id = await create({ ordering: undefined });
    const [first, second] = versionsOf(2) as [CloudEvent, CloudEvent];
    receiver.answerTo = ({ headers }) => ({ status: headers['webhook-id'] === first.id ? 500 : 204 });
    await happen(world, first, second);
    await world.until('the second event has arrived', () => came().some(({ version }) => version === 2));
    expect((await statuses(id)).some(([status]) => status === 'pending')).toBe(true);
  });
});
