import { newId, ServiceError, unavailable } from '@receipts/kernel';
import { inTransitMs } from '@receipts/storage';
import { until } from '@receipts/testing';
import { refusalOf, worldOfTests } from '../testing/world';

const world = worldOfTests();
const mark = 'jane.marked@example.com';
const external = '9b2f5c1e-3a47-4d0e-8c56-1f2a3b4c5d6e';

const discard = (packets: string[], attachments: string[] = [], changes = {}) =>
  world.discard({ packets }, attachments, changes);
const raw = (id: string) => world.ask('getPacketRaw', { params: { id } });
const attachment = (id: string, changes = {}) => world.ask('getAttachment', { params: { id } }, changes);
const reprocess = (id: string) => world.ask('reprocessPacket', { params: { id } });

/** A packet that contains the mark wherever a till can put it. */
const marked = (outcome: 'converted' | 'timeout' | 'unknown' = 'converted', more: [string, string][] = []) =>
  world.post({
    body: `Customer: ${mark}`,
    contentType: `text/plain; name="${mark}"`,
    query: [
      ['identifier', mark],
      ['till_id', mark],
      ['store_reference', '7'],
      ['property-email', mark],
    ],
    headers: [['service-external-id', external], ...more],
    call: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    outcome,
  });

/** Everything that the database has about the retailer. */
async function stored(): Promise<string> {
  const documents = [...(await world.kept('packets')), ...(await world.kept('attachments'))];
  const texts = documents.flatMap(({ ...document }) => {
    const bytes = 'raw' in document ? document.raw : 'bytes' in document ? document.bytes : undefined;
    return [JSON.stringify(document), Buffer.from(bytes?.buffer ?? []).toString()];
  });
  return texts.join();
}

test('deletes the content of a packet without receipts, and everything that may name a person', async () => {
  const id = await marked();
  expect(await stored()).toContain(mark);
  expect(await discard([id])).toBe(true);
  expect(await stored()).not.toContain(mark);
  expect(await refusalOf(raw(id))).toBe('410 packet_deleted');
  const packet = await world.packet(id);
  expect(packet).toMatchObject({
    id,
    status: 'converted',
    attempts: 1,
    receipt_ids: [id],
    mapping: { id: 'm', version: 2 },
    size: Buffer.byteLength(`Customer: ${mark}`),
    content_type: null,
    properties: {},
    received_timestamp: expect.any(String),
    metadata: { external_id: external, store_reference: '7' },
  });
  expect(await discard([id])).toBe(true);
});

test('does not convert a deleted packet again, neither alone nor with others', async () => {
  const id = await marked('timeout');
  await world.events(id, 2);
  await until('its events are published', () => discard([id]));
  const before = world.broker.received.length;
  expect(await refusalOf(reprocess(id))).toBe('422 packet_deleted');
  const other = await world.post({ outcome: 'timeout' });
  expect((await world.ask('reprocessPackets', { body: {} })).body.count).toBe(1);
  expect((await world.packet(other)).status).toBe('accepted');
  expect(await world.packet(id)).toMatchObject({ status: 'failed', reason: 'timeout', errors: [] });
  const since = world.broker.received.slice(before);
  const asked = since.filter(({ name }) => name === 'transform.convert-packet');
  expect(JSON.stringify(asked.map(({ request }) => request.params))).not.toContain(id);
});

test('recognizes the same external id and content after the deletion', async () => {
  const id = await marked();
  expect(await discard([id])).toBe(true);
  expect(await marked()).toBe(id);
  expect(await world.kept('packets')).toHaveLength(1);
});

test('leaves a packet that has changed since it was found', async () => {
  const id = await marked('timeout');
  world.aheadMs += inTransitMs;
  const body = await until('its events are published', async () => {
    const { packets, is_complete: isComplete } = (await world.ask('findRawData', { body: { packets: [id] } }))
      .body;
    return isComplete && { packets: packets.map(({ version }) => ({ id, version })) };
  });
  await reprocess(id);
  for (const refs of [
    { ...body, anonymized: [] },
    { packets: [], anonymized: body.packets },
  ]) {
    const answer = await world.ask('discardRawData', { body: { ...refs, attachments: [] } });
    expect(answer.body).toEqual({ is_complete: false });
  }
  expect((await raw(id)).body.toString()).toContain(mark);
  expect((await world.packet(id)).metadata).toMatchObject({ identifier: mark });
});

test('removes only the identifier from a packet that is anonymized', async () => {
  const id = await world.post({ query: [['identifier', 'jane']] });
  world.aheadMs += inTransitMs;
  const { packets } = (await world.ask('findRawData', { body: { identifier: 'jane' } })).body;
  const anonymized = packets.map(({ version }) => ({ id, version }));
  const body = { packets: [], attachments: [], anonymized };
  expect((await world.ask('discardRawData', { body })).body).toEqual({ is_complete: true });
  expect((await raw(id)).body.toString()).toBe('Sales: 1');
  expect((await world.packet(id)).metadata).toEqual({});
});

test('finds the attachments of a packet again after an interruption', async () => {
  const attached = await world.upload();
  const headers: [string, string][] = [['service-attachment-id', `${attached}; label=slip`]];
  const id = await world.post({ headers, outcome: 'timeout' });
  await Promise.all([world.events(id, 2), world.events(attached)]);
  const { answers } = world.broker;
  const eraseEvents = answers.get('delivery.erase-addresses') as (body: never) => unknown;
  let interruptions = 0;
  answers.set('delivery.erase-addresses', () => {
    interruptions++;
    throw new ServiceError(unavailable);
  });
  const isInterrupted = () => interruptions > 0;
  await until('the deletion is interrupted', () => discard([id]).then(isInterrupted, isInterrupted));
  answers.set('delivery.erase-addresses', eraseEvents);
  await until('the deletion is complete', () => discard([id]));
  expect(world.erasedEvents).toContain(attached);
  expect(await refusalOf(attachment(attached))).toBe('410 attachment_deleted');
  expect(await refusalOf(raw(id))).toBe('410 packet_deleted');
});

test('deletes attachments and their names, but no other attachments', async () => {
  const disposition = `attachment; filename="${mark}.txt"`;
  const [gone, other] = [await world.upload({ disposition, body: mark }), await world.upload()];
  await world.events(gone);
  await until('its events are published', () => discard([], [gone]));
  expect(await refusalOf(attachment(gone))).toBe('410 attachment_deleted');
  expect(await refusalOf(attachment(gone, { consumers: ['joe'] }))).toBe('404 attachment_not_found');
  expect((await attachment(other)).body.toString()).toBe('bytes');
  expect(world.erasedEvents).toContain(gone);
  expect(world.erasedEvents).not.toContain(other);
  expect(await stored()).not.toContain(mark);
  const body = { receipt_id: newId(), attachments: { slip: { id: gone } } };
  expect(await refusalOf(world.ask('storeAttachments', { body }))).toMatch(/^422 attachment_not_found/);
  const described = await world.ask('describeAttachments', { body: { ids: [gone, other] } });
  expect(described.body.attachments.map((each) => each.id)).toEqual([other]);
});

test('does not affect data of other retailers', async () => {
  const id = await marked();
  const own = await world.upload();
  await world.events(id, 2);
  await world.events(own);
  await discard([id], [own], { retailer: newId() });
  expect((await raw(id)).body.toString()).toContain(mark);
  expect((await attachment(own)).body.toString()).toBe('bytes');
});
