import { randomUUID } from 'node:crypto';
import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

const mapping = {
  id: 'journal',
  match: { source_id: ['journal'] },
  decode: { type: 'json' },
  transform: {
    language: 'jsonata',
    expression:
      '{ "transaction_id": doc.no, "total": 1, "localtime": "2026-01-01T00:00:00", "items": [{ "name": "x", "quantity": 1, "total": 1 }] }',
  },
};

beforeAll(async () => {
  retailer = await aRetailer();
  await retailer.api.post('/pos/mappings', mapping);
  expect((await retailer.api.post('/pos/mappings/journal/_activate', {})).status).toBe(200);
});

const entry = (more: object = {}) => ({
  source_id: 'journal',
  source_read: '2026-01-02T03:04:05Z',
  entry_id: uniqueId('entry'),
  store_reference: 7,
  till_id: 'till 1',
  till_uuid: randomUUID(),
  receipt: Buffer.from(JSON.stringify({ no: uniqueId('T') })).toString('base64'),
  ...more,
});

type Packet = { id: string; status: string; receipt_ids: string[]; metadata: { entry_id: string } };

const packetsOf = async (entryId: string): Promise<Packet[]> => {
  const { body } = await retailer.api.get('/pos/packets?count=100');
  return (body.packets as Packet[]).filter(({ metadata }) => metadata.entry_id === entryId);
};

it('returns 204 without a body and creates a receipt', async () => {
  const posted = entry({ duplicate: false, external_id: randomUUID() });
  const answer = await retailer.api.post('/pos/data', posted);
  expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
  const packet = await until('the conversion', async () => {
    const [found] = await packetsOf(posted.entry_id);
    return found?.status === 'converted' && found;
  });
  const receipt = await retailer.api.get(`/receipts/${packet.receipt_ids[0]}`);
  expect(receipt.body).toMatchObject({
    store_reference: '7',
    till_uuid: posted.till_uuid,
    external_id: (posted as { external_id?: string }).external_id,
    pos_data_ids: [packet.id],
  });
});

it('accepts the same entry from the same source repeatedly but converts it once', async () => {
  const posted = entry();
  for (let time = 0; time < 3; time++)
    expect((await retailer.api.post('/pos/data', posted)).status).toBe(204);
  expect(await packetsOf(posted.entry_id)).toHaveLength(1);
});

it.each(['2026-01-02T03:04:05', '2026-01-02T03:04:05.678Z', '2026-01-02T03:04Z', '2026-01-02T03:04:05+0100'])(
  'accepts an entry with the time %s, like a receipt',
  async (time) => {
    expect((await retailer.api.post('/pos/data', entry({ source_read: time }))).status).toBe(204);
    expect((await retailer.api.post('/receipts', aReceipt({ localtime: time }))).status).toBe(201);
  },
);

it('adds the attachments of the entry to the receipt', async () => {
  const data = Buffer.from('%PDF').toString('base64');
  const posted = entry({ attachments: { terms: { data, content_type: 'application/pdf' } } });
  expect((await retailer.api.post('/pos/data', posted)).status).toBe(204);
  const packet = await until('the conversion', async () => {
    const [found] = await packetsOf(posted.entry_id);
    return found?.status === 'converted' && found;
  });
  const { body } = await retailer.api.get(`/receipts/${packet.receipt_ids[0]}`);
  expect(body.attachments).toMatchObject({ terms: { content_type: 'application/pdf', size: 4 } });
  const { id } = (body.attachments as { terms: { id: string } }).terms;
  expect((await retailer.api.get(`/attachments/${id}`)).bytes.toString()).toBe('%PDF');
});

it.each([
  ['receipt', ''],
  ['receipt', 'not base64!'],
  ['receipt', 'YWI'],
  ['source_read', 'yesterday'],
  ['entry_id', 7],
  ['entry_id', 'half a character \ud800'],
  ['external_id', 'x'],
  ['till_uuid', null],
  ['unknown', 1],
])('%s: returns 422 for %p', async (name, value) => {
  const answer = await retailer.api.post('/pos/data', entry({ [name]: value }));
  expect([answer.status, answer.body.code]).toEqual([422, 'schema_validation_failed']);
  expect((answer.body.errors as { path: string }[]).map(({ path }) => path)).toContain(`/${name}`);
});

it('returns 413 for more than 2 MiB', async () => {
  const answer = await retailer.api.post('/pos/data', entry({ receipt: 'A'.repeat(2 * 1024 * 1024) }));
  expect(answer.status).toBe(413);
});

it('requires the permission', async () => {
  const other = await retailer.clientWith({ permissions: ['view.post_pos_receipt'] });
  expect((await other.post('/pos/data', entry())).status).toBe(403);
});
