import { newId } from '@receipts/kernel';
import { refusalOf, worldOfTests } from '../testing/world';

const world = worldOfTests();

type Posted = Record<
  string,
  { id: string } | { data: string; content_type?: string; content_disposition?: string }
>;

const data = Buffer.from('%PDF').toString('base64');
const keep = async (attachments: Posted, changes = {}, receipt = newId()) =>
  (await world.ask('storeAttachments', { body: { receipt_id: receipt, attachments } }, changes)).body
    .attachments;

test('stores and publishes inline data, with its file name or its label', async () => {
  const content_disposition = 'attachment; filename="b.pdf"';
  const views = await keep({
    slip: { data },
    terms: { data, content_type: 'application/pdf', content_disposition },
  });
  expect(views).toMatchObject({
    slip: { filename: 'slip', content_type: 'application/octet-stream', size: 4 },
    terms: { filename: 'b.pdf', content_type: 'application/pdf', size: 4 },
  });
  for (const view of Object.values(views)) {
    expect(view.url).toBe(`/attachments/${view.id}`);
    expect((await world.ask('getAttachment', { params: { id: view.id } })).body.toString()).toBe('%PDF');
    expect(await world.events(view.id)).toMatchObject([{ type: 'attachment.created', data: view }]);
  }
});

test('returns an earlier attachment with its label, without storing it again', async () => {
  const id = await world.upload();
  expect(await keep({ a: { id }, b: { id } })).toMatchObject({
    a: { id, filename: 'a.txt' },
    b: { id, size: 5 },
  });
  expect(await world.kept('attachments')).toHaveLength(1);
});

test('returns the same attachments for the same receipt and labels, and publishes them once', async () => {
  const receipt = newId();
  const first = await keep({ a: { data }, b: { data } }, {}, receipt);
  expect(await keep({ a: { data }, b: { data } }, {}, receipt)).toEqual(first);
  expect(first['a']?.id).not.toBe(first['b']?.id);
  expect((await keep({ a: { data } }))['a']?.id).not.toBe(first['a']?.id);
  expect(await world.kept('attachments')).toHaveLength(3);
  expect(await world.events(first['a']?.id ?? '')).toHaveLength(1);
});

test('reports the label of each missing attachment, and stores nothing', async () => {
  const foreign = await world.upload({ call: { retailer: newId() } });
  const work = keep({ a: { id: foreign }, b: { id: 'x' }, c: { data } });
  expect(await refusalOf(work)).toBe('422 attachment_not_found /attachments/a/id /attachments/b/id');
  expect(await world.kept('attachments')).toEqual([]);
});

test('allows a restricted caller to link only attachments uploaded with the same restriction', async () => {
  const consumers = ['joe', 'ann'];
  const own = await world.upload({ call: { consumers: ['ann', 'joe'] } });
  expect(await keep({ a: { id: own } }, { consumers })).toMatchObject({ a: { id: own } });
  expect(await keep({ a: { id: own } })).toMatchObject({ a: { id: own } });
  for (const id of [await world.upload(), await world.upload({ call: { consumers: ['joe'] } })]) {
    const work = keep({ a: { id } }, { consumers });
    expect(await refusalOf(work)).toBe('422 attachment_not_found /attachments/a/id');
  }
});

test('restricts inline data of a restricted caller', async () => {
  const { a } = await keep({ a: { data } }, { consumers: ['joe'] });
  const link = (consumer: string) => keep({ a: { id: a?.id ?? '' } }, { consumers: [consumer] });
  expect(await refusalOf(link('ann'))).toBe('422 attachment_not_found /attachments/a/id');
  expect(await link('joe')).toEqual({ a });
});

test('rejects data that is not base64', async () => {
  const refused = '422 schema_validation_failed /attachments/a/data';
  expect(await refusalOf(keep({ a: { data: 'YWI' } }))).toBe(refused);
  expect(await world.kept('attachments')).toEqual([]);
});

test('stores nothing if there are no attachments', async () => {
  expect(await keep({})).toEqual({});
});
