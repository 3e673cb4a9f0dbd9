import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer();
});

const base64 = (text: string) => Buffer.from(text).toString('base64');
const post = (attachments: unknown, overrides: Record<string, unknown> = {}, from = retailer) =>
  from.api.post('/receipts', aReceipt({ attachments, ...overrides }));
const receiptOf = async (attachments: unknown, overrides: Record<string, unknown> = {}) => {
  const answer = await post(attachments, overrides);
  expect(answer.status).toBe(201);
  return (await retailer.api.get(`/receipts/${answer.body.id}`)).body;
};
const upload = async (text: string, name: string, from = retailer): Promise<string> => {
  const headers = { 'content-type': 'text/plain', 'content-disposition': `attachment; filename="${name}"` };
  return (await from.api.call('/attachments', { method: 'POST', body: text, headers })).body.id as string;
};
const fetchAs = (consumer: string, id: string) => retailer.signed({ consumer }).get(`/attachments/${id}`);

describe('attachments of a posted receipt', () => {
  it('include inline data and an earlier attachment, by label', async () => {
    const id = await upload('terms', 'terms.txt');
    const { attachments } = await receiptOf({
      warranty: {
        data: base64('two years'),
        content_type: 'text/plain',
        content_disposition: 'attachment; filename="warranty.txt"',
      },
      terms: { id },
    });
    const inline = attachments.warranty.id as string;
    const shown = (attachment: string, filename: string, size: number) => ({
      id: attachment,
      url: expect.stringMatching(new RegExp(`/attachments/${attachment}$`)),
      content_type: 'text/plain',
      filename,
      size,
    });
    expect(attachments).toEqual({
      warranty: shown(inline, 'warranty.txt', 9),
      terms: shown(id, 'terms.txt', 5),
    });
    expect((await retailer.api.get(`/attachments/${inline}`)).bytes.toString()).toBe('two years');
  });

  it('have a default type and name if only data was posted', async () => {
    const { attachments } = await receiptOf({ raw: { data: base64('x') } });
    expect(attachments.raw).toMatchObject({ content_type: 'application/octet-stream', size: 1 });
    expect(attachments.raw.filename).toEqual(expect.any(String));
  });

  it('are an empty object if there are none', async () => {
    expect((await receiptOf(undefined)).attachments).toEqual({});
    expect((await receiptOf({})).attachments).toEqual({});
  });

  it('may have up to 1 MiB of inline data in total', async () => {
    const half = Buffer.alloc(512 * 1024, 'x').toString('base64');
    const { attachments } = await receiptOf({ a: { data: half }, b: { data: half } });
    expect([attachments.a.size, attachments.b.size]).toEqual([512 * 1024, 512 * 1024]);
    const more = await post({ a: { data: half }, b: { data: half }, c: { data: base64('x') } });
    expect([more.status, more.body.code]).toEqual([422, 'schema_validation_failed']);
  });
});

describe('attachments rejected with 422', () => {
  it('are named by label if their ids do not exist or belong to another retailer', async () => {
    const other = await aRetailer();
    const foreign = await upload('x', 'x.txt', other);
    const transaction_id = uniqueId();
    for (const id of ['000000000000000000000000', foreign]) {
      const answer = await post({ good: { data: base64('x') }, bad: { id } }, { transaction_id });
      expect([answer.status, answer.body.code]).toEqual([422, 'attachment_not_found']);
      expect(answer.body.errors).toEqual([
        { path: '/attachments/bad/id', code: 'attachment_not_found', message: expect.any(String) },
      ]);
    }
    expect((await post({}, { transaction_id })).status).toBe(201);
  });

  it.each<[string, unknown, string]>([
    ['id and data', { a: { id: 'x', data: 'eA==' } }, '/attachments/a'],
    ['neither id nor data', { a: {} }, '/attachments/a'],
    ['an invalid label', { 'a b': { data: 'eA==' } }, '/attachments/a b'],
    ['a label of 65 characters', { ['a'.repeat(65)]: { data: 'eA==' } }, `/attachments/${'a'.repeat(65)}`],
    ['data that is not base64', { a: { data: '***' } }, '/attachments/a/data'],
    ['an unknown key', { a: { data: 'eA==', colour: 'red' } }, '/attachments/a/colour'],
    ['an operator for an id', { a: { id: { $ne: null } } }, '/attachments/a/id'],
    ['an array', [], '/attachments'],
    [
      'more than twenty',
      Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`l${n}`, { data: 'eA==' }])),
      '/attachments',
    ],
  ])('%s', async (_what, attachments, path) => {
    const answer = await post(attachments);
    expect([answer.status, answer.body.code]).toEqual([422, 'schema_validation_failed']);
    expect(answer.body.errors.map((fault: { path: string }) => fault.path)).toContain(path);
  });
});

describe('access to attachments', () => {
  it("is given to the receipt's current consumer after an assignment or a patch", async () => {
    const id = await upload('for you', 'a.txt');
    const receipt = await receiptOf({ own: { data: base64('inline') }, linked: { id } });
    const ids = [receipt.attachments.own.id as string, id];
    const readers = async (attachment: string) => {
      const answers = await Promise.all(['joe', 'ann'].map((consumer) => fetchAs(consumer, attachment)));
      return answers.map(({ status }) => status);
    };
    const expectReaders = async (expected: number[]) => {
      for (const attachment of ids) expect(await readers(attachment)).toEqual(expected);
    };
    await expectReaders([404, 404]);
    await retailer.api.post('/receipts/_assign', { id: receipt.id, identifier: 'joe' });
    await expectReaders([200, 404]);
    await retailer.api.patch(`/receipts/${receipt.id}`, [
      { op: 'replace', path: '/identifier', value: 'ann' },
    ]);
    await expectReaders([404, 200]);
    await retailer.api.patch(`/receipts/${receipt.id}`, [{ op: 'remove', path: '/identifier' }]);
    await expectReaders([404, 404]);
  });

  it('is given to the consumers of all receipts that link to the same attachment', async () => {
    const id = await upload('terms for all', 'terms.txt');
    const count = 60;
    for (let n = 0; n < count; n++) await receiptOf({ terms: { id } }, { identifier: `c${n}` });
    for (const n of [0, count / 2, count - 1]) expect((await fetchAs(`c${n}`, id)).status).toBe(200);
    expect((await fetchAs('nobody', id)).status).toBe(404);
  });
});

it('does not change when a receipt is posted again, which creates no new attachments', async () => {
  const overrides = { transaction_id: uniqueId(), identifier: 'joe' };
  const receipt = await receiptOf({ a: { data: base64('first') } }, overrides);
  const again = await post({ a: { data: base64('second') } }, overrides);
  expect([again.status, again.body.code, again.body.id]).toEqual([
    409,
    'duplicate_transaction_id',
    receipt.id,
  ]);
  expect((await fetchAs('joe', receipt.attachments.a.id)).bytes.toString()).toBe('first');
});

it('includes the attachments of a raw receipt on its receipts', async () => {
  const id = await upload('photo', 'photo.txt');
  const raw = {
    transaction_id: uniqueId(),
    localtime: '2026-03-14T12:30:00',
    store_reference: 1,
    total: 1,
    identifier: 'joe',
    items: [{ name: 'a', quantity: 1, total: 1 }],
  };
  const mapping = {
    id: 'as-posted',
    match: { content_type: ['application/json'] },
    decode: { type: 'json' },
    transform: { language: 'jsonata', expression: 'doc' },
  };
  expect((await retailer.api.post('/pos/mappings', mapping)).status).toBe(201);
  expect((await retailer.api.post('/pos/mappings/as-posted/_activate', {})).status).toBe(200);
  const answer = await retailer.api.call('/pos/receipts', {
    method: 'POST',
    body: JSON.stringify(raw),
    headers: { 'content-type': 'application/json', 'service-attachment-id': `${id}; label=photo` },
  });
  expect(answer.status).toBe(202);
  const receipt = await until('the receipt is converted', async () => {
    const found = await retailer.api.get(answer.headers.location as string);
    return found.status === 200 && found.body;
  });
  expect(receipt.attachments).toMatchObject({ photo: { id, filename: 'photo.txt', size: 5 } });
  expect((await fetchAs('joe', id)).bytes.toString()).toBe('photo');
  expect((await fetchAs('ann', id)).status).toBe(404);
});
