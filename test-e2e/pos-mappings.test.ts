import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { until } from '@receipts/testing';
import type { HttpResponse, RequestOptions } from './harness/http';
import type { TestRetailer } from './harness/client';
import { aRetailer } from './harness/shared-platform';

interface Example {
  readonly id: string;
  readonly samples: {
    readonly input_base64: string;
    readonly content_type: string;
    readonly expect: unknown;
  }[];
}

const folder = path.resolve(__dirname, '../deploy/examples/mappings');
const examples = readdirSync(folder).map(
  (file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Example,
);

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer();
});

const call = (where: string, options: RequestOptions = { method: 'POST' }) =>
  retailer.api.call(where, options);
const packetOf = (posted: HttpResponse) =>
  until('the end of the packet', async () => {
    const id = (posted.headers.location as string).split('/').pop();
    const found = await retailer.api.get(`/pos/packets/${id}`);
    return found.status === 200 && found.body.status !== 'accepted' && found.body;
  });

describe('the examples', () => {
  it.each(examples.map((example) => [example.id, example] as const))(
    '%s is created and converts its sample',
    async (id, example) => {
      const created = await retailer.api.post('/pos/mappings', example);
      expect([created.status, created.body]).toMatchObject([201, { id, version: 1, status: 'draft' }]);
      expect((await retailer.api.get(created.headers.location as string)).body).toEqual(created.body);
      const activated = await call(`/pos/mappings/${id}/_activate`);
      expect([activated.status, activated.body]).toMatchObject([200, { id, version: 1, status: 'active' }]);
      const [sample] = example.samples;
      const posted = await call('/pos/receipts', {
        method: 'POST',
        body: Buffer.from(sample?.input_base64 ?? '', 'base64'),
        headers: { 'content-type': sample?.content_type ?? '' },
      });
      const packet = await packetOf(posted);
      expect(packet).toMatchObject({ status: 'converted', mapping: { id, version: 1 }, errors: [] });
      const expected = Array.isArray(sample?.expect) ? sample.expect : [sample?.expect];
      expect(packet.receipt_ids).toHaveLength(expected.length);
      for (const receiptId of packet.receipt_ids) {
        const receipt = await retailer.api.get(`/receipts/${receiptId}`);
        expect([receipt.status, receipt.body.pos_data_ids]).toEqual([200, [packet.id]]);
      }
    },
  );
});

const mapping = (id: string, more: object = {}) => ({
  id,
  match: { source_id: [id] },
  decode: { type: 'json' },
  transform: { language: 'jsonata', expression: '{ "transaction_id": doc.no, "total": doc.sum }' },
  ...more,
});

it('lists the newest version of each, by status', async () => {
  await retailer.api.post('/pos/mappings', mapping('listed'));
  await retailer.api.post('/pos/mappings', mapping('listed', { description: 'second' }));
  const found = (await retailer.api.get('/pos/mappings')).body.mappings as { id: string; version: number }[];
  expect(found.filter(({ id }) => id === 'listed')).toMatchObject([{ version: 2, status: 'draft' }]);
  const active = (await retailer.api.get('/pos/mappings?status=active')).body.mappings as { id: string }[];
  expect(active.some(({ id }) => id === 'listed')).toBe(false);
});

it('creates the next version when the newest is patched, guarded by If-Match', async () => {
  await retailer.api.post('/pos/mappings', mapping('patched'));
  const patch = (body: unknown, headers: Record<string, string> = {}) =>
    call('/pos/mappings/patched', {
      method: 'PATCH',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json-patch+json', ...headers },
    });
  const add = [{ op: 'add', path: '/description', value: 'better' }];
  const patched = await patch(add, { 'if-match': '"1"' });
  expect([patched.status, patched.body]).toMatchObject([200, { version: 2, description: 'better' }]);
  expect(patched.headers.etag).toBe('"2"');
  expect((await patch(add, { 'if-match': '"1"' })).status).toBe(412);
  expect((await patch({})).body.code).toBe('malformed_patch');
  expect((await patch([{ op: 'replace', path: '/id', value: 'x' }])).status).toBe(422);
});

it('returns 422 with positions for mappings that do not compile and samples that differ', async () => {
  const broken = await retailer.api.post(
    '/pos/mappings',
    mapping('broken', { decode: { type: 'text', codepage: 'x' } }),
  );
  expect([broken.status, broken.body]).toMatchObject([
    422,
    { code: 'mapping_invalid', errors: [{ path: '/decode/codepage' }] },
  ]);
  const sample = {
    input_base64: Buffer.from('{"no": "1"}').toString('base64'),
    expect: { transaction_id: '2' },
  };
  await retailer.api.post('/pos/mappings', mapping('differs', { samples: [sample] }));
  const refused = await call('/pos/mappings/differs/_activate');
  expect([refused.status, refused.body.code]).toEqual([422, 'samples_failed']);
  expect(refused.body.errors).toContainEqual(
    expect.objectContaining({ path: '/samples/0/expect/transaction_id' }),
  );
});

it('returns receipts, errors and the input of the expression from a dry run', async () => {
  const body = {
    mapping: mapping('dry'),
    input_base64: Buffer.from('{"no": "1", "sum": 2}').toString('base64'),
  };
  const answer = await retailer.api.post('/pos/mappings/_dry_run', body);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    receipts: [{ transaction_id: '1', total: 2 }],
    decoded: { doc: { no: '1', sum: 2 } },
    time: expect.any(Number),
  });
  expect((answer.body.errors as { path: string }[]).map(({ path: where }) => where)).toContain('/0/items');
});

it('accepts a mapping in a dry run exactly as it was returned', async () => {
  const created = await retailer.api.post('/pos/mappings', mapping('answered'));
  const body = { mapping: created.body, input_base64: Buffer.from('{"no": "1"}').toString('base64') };
  const answer = await retailer.api.post('/pos/mappings/_dry_run', body);
  expect([answer.status, answer.body]).toMatchObject([200, { receipts: [{ transaction_id: '1' }] }]);
});

it('returns 422 for a sample that is not base64', async () => {
  for (const input_base64 of ['{"no": "1"}', 'e30']) {
    const samples = [
      { input_base64: Buffer.from('{}').toString('base64'), expect: {} },
      { input_base64, expect: {} },
    ];
    const refused = await retailer.api.post('/pos/mappings', mapping('sampled', { samples }));
    expect([refused.status, refused.body]).toMatchObject([
      422,
      { code: 'schema_validation_failed', errors: [{ path: '/samples/1/input_base64' }] },
    ]);
  }
});

it('does not use a deactivated mapping, and converts the packet once it is active again', async () => {
  const whole = {
    transform: {
      language: 'jsonata',
      expression:
        '{ "transaction_id": doc.no, "total": 1, "localtime": "2026-01-01T00:00:00", "store_reference": "1", "items": [{ "name": "x", "quantity": 1, "total": 1 }] }',
    },
  };
  await retailer.api.post('/pos/mappings', mapping('onoff', whole));
  await call('/pos/mappings/onoff/_activate');
  const off = await call('/pos/mappings/onoff/_deactivate');
  expect([off.status, off.body]).toMatchObject([200, { status: 'inactive' }]);
  const posted = await call('/pos/receipts', {
    method: 'POST',
    body: '{"no": "onoff-1"}',
    headers: { 'content-type': 'application/json', 'service-mapping': 'onoff' },
  });
  const failed = await packetOf(posted);
  expect(failed).toMatchObject({ status: 'failed', reason: 'no_mapping' });
  expect((await call(`/pos/packets/${failed.id}/_reprocess`)).status).toBe(202);
  await until('the second failure', async () => {
    const { body } = await retailer.api.get(`/pos/packets/${failed.id}`);
    return body.status === 'failed' && body.attempts === 2;
  });
  await call('/pos/mappings/onoff/_activate');
  const many = await retailer.api.post('/pos/packets/_reprocess', { reason: 'no_mapping' });
  expect([many.status, many.body.count]).toEqual([202, 1]);
  await until('the conversion', async () => {
    const { body } = await retailer.api.get(`/pos/packets/${failed.id}`);
    return body.status === 'converted';
  });
  const again = await call(`/pos/packets/${failed.id}/_reprocess`);
  expect([again.status, again.body.code]).toEqual([409, 'packet_converted']);
});

it("does not find another retailer's mapping", async () => {
  const other = await aRetailer();
  await retailer.api.post('/pos/mappings', mapping('mine'));
  const answer = await other.api.get('/pos/mappings/mine');
  expect([answer.status, answer.body.code]).toEqual([404, 'mapping_not_found']);
});

it('a mapping that never terminates fails only its own packets', async () => {
  const endless = { transform: { language: 'jsonata', expression: '($f := function() { $f() }; $f())' } };
  await retailer.api.post('/pos/mappings', mapping('endless', endless));
  expect((await call('/pos/mappings/endless/_activate')).status).toBe(200);
  const posted = await call('/pos/receipts', {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json', 'service-source-id': 'endless' },
  });
  expect(await packetOf(posted)).toMatchObject({ status: 'failed', reason: 'timeout' });
});
