import { createHash } from 'node:crypto';
import { newId, type CloudEvent } from '@receipts/kernel';
import { refusalOf, silentLog } from '@receipts/testing';
import { ErasableEvents } from '../storage/erasable-events';
import { EventLog, type LoggedEvent } from '../storage/event-log';
import { deleteOldEvents } from './event-retention';
import { callOf, createdEvent, deletedEvent, itemOf, receiptOf, retailerOf } from '../../testing/samples';
import { startWorld, startWorldOn, type World } from '../../testing/world';

let world: World;
let retailer: string;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  retailer = `r-${newId()}`;
  world.retailers.set(retailer, retailerOf(retailer));
  world.now = new Date();
});
afterAll(() => world.close());

const dayMs = 24 * 60 * 60_000;
const read = async (query: object = {}) => {
  const { body, meta } = await world.ask('listEvents', { query: query as never }, callOf(retailer));
  return {
    ids: body.events.map(({ id }) => id),
    next: body._links.next.href,
    ...(meta as { after: string; isEmpty: boolean }),
  };
};
const happen = async (count: number, change: Partial<CloudEvent> = {}) => {
  const events = Array.from({ length: count }, () => ({
    ...createdEvent(retailer, receiptOf()),
    time: world.now.toISOString(),
    ...change,
  }));
  await world.deliver(...events);
  return events.map(({ id }) => id);
};

it('starts now, and returns everything to a reader in order, page by page', async () => {
  await happen(1);
  const start = await read();
  expect(start).toMatchObject({ ids: [], isEmpty: true });
  const ids = await happen(5);
  const first = await read({ after: start.after, count: 2 });
  expect(first.ids).toEqual(ids.slice(0, 2));
  expect(first.next).toBe(`/events?after=${first.after}&count=2`);
  const rest = await read({ after: first.after });
  expect(rest.ids).toEqual(ids.slice(2));
  expect(await read({ after: rest.after })).toMatchObject({ ids: [], isEmpty: true, after: rest.after });
  // A cursor can be used repeatedly.
  expect((await read({ after: start.after })).ids).toEqual(ids);
});

it('receives events in a process that starts while there is a reader, but not before anybody reads', async () => {
  const empty = await startWorld();
  expect(await empty.deliver(createdEvent(retailer, receiptOf()))).toEqual([]);
  await empty.close();
  const { after } = await read();
  const other = await startWorldOn(world.database);
  other.retailers.set(retailer, retailerOf(retailer));
  const event = createdEvent(retailer, receiptOf());
  await other.deliver(event);
  await other.stop();
  expect((await read({ after })).ids).toEqual([event.id]);
});

it('returns the events as published', async () => {
  const { after } = await read();
  const event = createdEvent(retailer, receiptOf());
  await world.deliver(event);
  const { body } = await world.ask('listEvents', { query: { after } as never }, callOf(retailer));
  expect(body.events).toEqual([event]);
});

it('filters by type, with a cursor after the events that were skipped', async () => {
  const { after } = await read();
  await happen(3);
  const [stored] = await happen(1, { type: 'store.created' });
  await happen(2);
  const found = await read({ after, types: ['store.*'], wait: 5 });
  expect(found.ids).toEqual([stored]);
  expect(found.next).toBe(`/events?after=${found.after}&types=store.*&wait=5`);
  expect((await read({ after: found.after })).ids).toEqual([]);
  expect(await refusalOf(read({ types: ['fax.*'] }))).toBe('400 invalid_parameter /types');
});

const webhooks = {
  oldestPending: () => Promise.resolve(undefined),
  eraseResponses: () => Promise.resolve(),
};

it('rejects a cursor if later events were deleted, or if it never existed', async () => {
  const { after } = await read();
  await happen(3);
  world.now = new Date(world.now.getTime() + 31 * dayMs);
  await happen(1);
  const log = world.database.db.collection<LoggedEvent>('event_log');
  const eventLog = new EventLog(log);
  const deps = {
    eventLog,
    erasableEvents: new ErasableEvents(log),
    webhooks,
    log: silentLog,
    now: () => world.now,
    retailer: () => Promise.resolve(retailerOf(retailer)),
  };
  expect(await deleteOldEvents(deps)).toBeGreaterThanOrEqual(3);
  expect(await refusalOf(read({ after }))).toBe('410 cursor_expired');
  expect(await refusalOf(read({ after: `${newId()}-1-${newId()}` }))).toBe('410 cursor_expired');
  expect(await refusalOf(read({ after: 'x' }))).toBe('400 unknown_cursor /after');
  const now = (await read()).after;
  expect(await refusalOf(read({ after: `${now}!` }))).toBe('400 unknown_cursor /after');
  expect(await refusalOf(read({ after: `${now}0` }))).toBe('410 cursor_expired');
});

it('rejects a cursor beyond a loss of the newest events, even when its number is used again', async () => {
  const { after: start } = await read();
  const [kept] = await happen(1);
  const before = await read({ after: start });
  await happen(3);
  const beyond = (await read({ after: before.after })).after;
  // Simulates a loss, as when an older backup is restored.
  await world.database.db.collection('event_log').deleteMany({ retailer, position: { $gt: 1 } });
  expect(await refusalOf(read({ after: beyond }))).toBe('410 cursor_expired');
  const next = await happen(5);
  expect(await refusalOf(read({ after: beyond }))).toBe('410 cursor_expired');
  // A cursor from before the loss continues without a gap.
  expect((await read({ after: start })).ids).toEqual([kept, ...next]);
  expect((await read({ after: before.after })).ids).toEqual(next);
});

it('stops recording without a reader, and starts a new recording for the next reader', async () => {
  const { after } = await read();
  world.now = new Date(world.now.getTime() + 31 * dayMs);
  await happen(2);
  expect(await world.database.db.collection('event_log').countDocuments({ retailer })).toBe(0);
  expect(await refusalOf(read({ after }))).toBe('410 cursor_expired');
  const again = await read();
  const ids = await happen(2);
  expect((await read({ after: again.after })).ids).toEqual(ids);
});

it('starts the recording once, no matter how many readers start at the same time', async () => {
  const starts = await Promise.all(Array.from({ length: 8 }, () => read()));
  expect(new Set(starts.map(({ after }) => after)).size).toBe(1);
});

describe('an erased consumer', () => {
  const jane = 'jane@example.com';
  const readAll = async (after: string) => {
    const { body } = await world.ask('listEvents', { query: { after } as never }, callOf(retailer));
    return body.events;
  };

  it('does not appear in events that are read again, and other events remain complete', async () => {
    const { after } = await read();
    const receipt = receiptOf({ identifier: jane, properties: { email: jane } });
    const created = createdEvent(retailer, receipt);
    const joe = createdEvent(retailer, receiptOf({ identifier: 'joe@example.com' }));
    const known = { identifier: jane, properties: { email: jane } };
    const updated = { ...created, id: newId(), type: 'identifier.updated', subject: jane, data: known };
    const hash = createHash('sha256').update(jane).digest('hex');
    const erased = {
      ...created,
      id: newId(),
      type: 'identifier.erased',
      subject: hash,
      data: { identifier_sha256: hash, erased_timestamp: '2026-05-17T10:00:00+00:00' },
    };
    await world.deliver(created, updated, joe);
    await world.deliver(erased);
    await world.deliver(erased);
    const events = await readAll(after);
    expect(events.map(({ id }) => id)).toEqual([created.id, updated.id, joe.id, erased.id]);
    expect(JSON.stringify(events)).not.toContain(jane);
    expect(
      JSON.stringify(await world.database.db.collection('event_log').find({ retailer }).toArray()),
    ).not.toContain(jane);
    expect(events[2]).toEqual(joe);
    expect(events[3]).toEqual(erased);
  });

  it('does not appear in events about their receipts, whatever the receipts contain', async () => {
    const { after } = await read();
    const receipt = receiptOf({ identifier: null, properties: { email: jane } });
    await world.deliver(createdEvent(retailer, receipt));
    await world.ask('eraseAddresses', { body: { receipts: [receipt.id] } }, callOf(retailer));
    const [event] = await readAll(after);
    expect(event).toMatchObject({ data: { receipt: { total: receipt.total, properties: {} } } });
  });
});

it('erases raw receipts from events after `retention_days`, although the events are kept for longer', async () => {
  await read();
  const mark = 'ms.marker@example.com';
  const at = (day: number, type: string, subject: string, metadata: object) => ({
    ...createdEvent(retailer, receiptOf()),
    id: newId(),
    type,
    subject,
    data: { metadata },
    sequence: 1,
    time: new Date(world.now.getTime() - day * dayMs).toISOString(),
  });
  const named = { identifier: mark, store_reference: '1' };
  const [old, young] = [newId(), newId()];
  const failed = { ...at(2, 'pos_receipt.failed', old, named), sequence: 2 };
  const kept = at(4, 'pos_receipt.accepted', young, named);
  await world.deliver(at(6, 'pos_receipt.accepted', old, named), failed, kept);
  const collection = world.database.db.collection<LoggedEvent>('event_log');
  const deps = {
    eventLog: new EventLog(collection),
    erasableEvents: new ErasableEvents(collection),
    webhooks,
    log: silentLog,
    now: () => world.now,
    retailer: (id: string) => Promise.resolve(retailerOf(id, { retention_days: 5, event_days: 30 })),
  };
  await deleteOldEvents(deps);
  await deleteOldEvents(deps);
  const logged = await collection.find({ retailer }).toArray();
  expect(logged.filter(({ text }) => text.includes(mark)).map(({ _id }) => _id)).toEqual([kept.id]);
  expect(logged).toHaveLength(3);
});

describe('a deleted receipt', () => {
  const mark = 'Ms. Marker';
  const texts = async () =>
    JSON.stringify(await world.database.db.collection('event_log').find({ retailer }).toArray());
  const file = (id: string) => ({
    id,
    url: `/attachments/${id}`,
    content_type: 'text/plain',
    size: 1,
    filename: `${mark}.txt`,
  });
  const about = (type: string, data: object, subject = newId()) => ({
    ...createdEvent(retailer, receiptOf()),
    id: newId(),
    type,
    subject,
    data,
  });

  it('leaves nothing but its facts in events, also in those that arrive later', async () => {
    await read();
    const [id, fileId] = [newId(), newId()];
    const receipt = receiptOf({
      id,
      identifier: mark,
      attachments: { a: file(fileId) },
      items: [itemOf({ name: mark, properties: { note: mark } })],
    });
    const packet = { metadata: { identifier: mark, store_reference: '1' }, receipt_id: id };
    const viewed = about('receipt.viewed', { id, identifier: mark }, id);
    const sent = about('delivery.sent', { receipt_id: id, address: 'm***@marker.example' });
    await world.deliver(about('attachment.created', file(fileId), fileId));
    await world.deliver(about('pos_receipt.accepted', packet), createdEvent(retailer, receipt), viewed, sent);
    expect(await texts()).toContain(mark);
    await world.deliver(deletedEvent(retailer, id));
    const late = { ...viewed, id: newId(), sequence: 2 };
    await world.deliver(late, about('pos_receipt.converted', { ...packet, receipt_ids: [id] }));
    for (const word of [mark, 'marker.example']) expect(await texts()).not.toContain(word);
    expect(await texts()).toContain(receipt.transaction_id);
  });

  it('leaves the other receipts of its raw receipt, and attachments that others have', async () => {
    await read();
    const [one, two, fileId] = [newId(), newId(), newId()];
    const converted = { metadata: { identifier: mark }, receipt_id: one, receipt_ids: [one, two] };
    const receipts = [one, two].map((id) =>
      createdEvent(retailer, receiptOf({ id, attachments: { a: file(fileId) } })),
    );
    const [uploaded, packet] = [
      about('attachment.created', file(fileId), fileId),
      about('pos_receipt.converted', converted),
    ];
    await world.deliver(uploaded, packet, ...receipts, deletedEvent(retailer, one));
    const log = world.database.db.collection<{ _id: string; text: string }>('event_log');
    const texts = async () =>
      Promise.all([uploaded, packet].map(async ({ id }) => String((await log.findOne({ _id: id }))?.text)));
    for (const text of await texts()) expect(text).toContain(mark);
    await world.deliver(deletedEvent(retailer, two));
    for (const text of await texts()) expect(text).not.toContain(mark);
  });
});
