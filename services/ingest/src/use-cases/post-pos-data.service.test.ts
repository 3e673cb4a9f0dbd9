import { randomUUID } from 'node:crypto';
import { newId, ServiceError, unavailable } from '@receipts/kernel';
import { PacketInserts } from '../storage/packet-inserts';
import { refusal, refusalOf, worldOfTests } from '../testing/world';

const world = worldOfTests();

const base64 = (text: string) => Buffer.from(text).toString('base64');
const entry = {
  source_id: 'journal',
  source_read: '2026-01-02T03:04:05Z',
  entry_id: '1',
  store_reference: 7,
  till_id: 'till 1',
  till_uuid: 'a till',
  receipt: base64('raw'),
};
const post = (changes: object = {}, call = {}) =>
  world.ask('postPosData', { body: { ...entry, ...changes } }, call);

test('stores an entry as a packet with its metadata, publishes it, and requests its conversion', async () => {
  const external = randomUUID();
  const { body } = await post({ duplicate: true, external_id: external.toUpperCase() });
  expect(body).toBeUndefined();
  const [packet] = await world.kept('packets');
  const id = packet?._id ?? '';
  const { receipt: _, ...metadata } = entry;
  expect(await world.packet(id)).toMatchObject({
    status: 'accepted',
    content_type: null,
    size: 3,
    duplicate: true,
    properties: {},
    metadata: { ...metadata, store_reference: '7', duplicate: true, external_id: external },
  });
  expect(await world.conversionRequests(id)).toMatchObject([{ body: 'raw', params: { attempt: 1 } }]);
  expect(await world.events(id)).toMatchObject([{ type: 'pos_receipt.accepted', retailer: world.retailer }]);
});

test('accepts the same entry again, and converts it only once', async () => {
  await post();
  await post({ receipt: base64('other'), till_id: 'till 2' });
  const kept = await world.kept('packets');
  expect(kept).toMatchObject([{ metadata: { till_id: 'till 1' }, size: 3 }]);
  await post({ entry_id: '2' });
  await post({ source_id: 'another' });
  await post({}, { retailer: newId() });
  expect(await world.kept('packets')).toHaveLength(3);
  expect(await world.conversionRequests(kept[0]?._id ?? '')).toHaveLength(1);
});

test('rejects the external id of another entry, and returns the id of that entry’s packet', async () => {
  const external = { external_id: randomUUID() };
  await post(external);
  const [first] = await world.kept('packets');
  const refused = await refusal(post({ ...external, entry_id: '2', receipt: base64('other') }));
  expect(refused).toMatchObject({ status: 409, code: 'duplicate_external_id', extra: { id: first?._id } });
  expect(await world.kept('packets')).toHaveLength(1);
});

test('marks a retry with the idempotency key', async () => {
  const keyed = { idempotencyKey: 'k' };
  expect(await post({}, keyed)).toMatchObject({ replayed: false });
  expect(await post({}, keyed)).toMatchObject({ replayed: true });
  expect(await world.kept('packets')).toHaveLength(1);
});

describe('attachments', () => {
  test('are stored and linked if they are inline, and only linked if they were stored earlier', async () => {
    const id = await world.upload();
    await post({
      attachments: { pdf: { data: base64('%PDF'), content_type: 'application/pdf' }, slip: { id } },
    });
    const [packet] = await world.kept('packets');
    const inline = (await world.kept('attachments')).find(({ _id }) => _id !== id);
    expect(inline).toMatchObject({ filename: 'pdf', contentType: 'application/pdf', size: 4 });
    const links = [
      { id: inline?._id, label: 'pdf' },
      { id, label: 'slip' },
    ];
    expect((await world.conversionRequests(packet?._id ?? ''))[0]?.params.attachments).toEqual(links);
  });

  test('are not stored for a repeated entry', async () => {
    for (const text of ['%PDF', '%PDF', 'other'])
      await post({ attachments: { pdf: { data: base64(text) } } });
    expect(await world.kept('attachments')).toMatchObject([{ size: 4 }]);
    expect(await world.kept('packets')).toHaveLength(1);
  });

  test('are the same if the request is retried after its packet could not be stored', async () => {
    jest.spyOn(PacketInserts.prototype, 'insert').mockRejectedValueOnce(new ServiceError(unavailable));
    const attachments = { pdf: { data: base64('%PDF') } };
    expect(await refusalOf(post({ attachments }))).toBe('503 unavailable');
    await post({ attachments });
    const [attachment, ...others] = await world.kept('attachments');
    expect(others).toEqual([]);
    expect(await world.kept('packets')).toMatchObject([{ attachments: [{ id: attachment?._id }] }]);
  });

  test('are not stored at all if one is missing', async () => {
    const foreign = await world.upload({ call: { retailer: newId() } });
    const work = post({ attachments: { pdf: { data: base64('%PDF') }, slip: { id: foreign } } });
    expect(await refusalOf(work)).toBe('422 attachment_not_found /attachments/slip/id');
    expect([...(await world.kept('packets')), ...(await world.kept('attachments'))]).toEqual([]);
  });
});

test.each<[object, string]>([
  [{ source_id: '', till_id: undefined }, '/source_id /till_id'],
  [{ source_read: 'yesterday' }, '/source_read'],
  [{ store_reference: -1 }, '/store_reference'],
  [{ receipt: 'YWI' }, '/receipt'],
  [{ receipt: '' }, '/receipt'],
  [{ external_id: 'x' }, '/external_id'],
  [{ till: '1' }, '/till'],
  [{ attachments: { 'a b': { id: 'x' } } }, '/attachments/a b'],
])('rejects %j', async (changes, paths) => {
  expect(await refusalOf(post(changes))).toBe(`422 schema_validation_failed ${paths}`);
  expect(await world.kept('packets')).toEqual([]);
});
