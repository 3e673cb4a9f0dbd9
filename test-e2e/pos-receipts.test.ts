import { randomUUID } from 'node:crypto';
import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import type { HttpResponse } from './harness/http';
import { uniqueId } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

const jsonMapping = {
  id: 'vendor-json',
  match: { content_type: ['application/json'], source_id: ['*'], store_reference: ['*'], till_id: ['*'] },
  decode: { type: 'json' },
  transform: {
    language: 'jsonata',
    expression: `{
      "transaction_id": doc.number,
      "localtime": doc.time,
      "store_reference": "1",
      "total": doc.sum,
      "items": doc.lines.{ "name": text, "quantity": qty, "total": amount }[],
      "properties": { "email": props.email, "note": props.note }
    }`,
  },
  defaults: { incomplete: false },
};

const textMapping = {
  id: 'printer-text',
  match: { content_type: ['text/plain'], source_id: ['*'], store_reference: ['*'], till_id: ['*'] },
  decode: { type: 'text', codepage: 'utf8' },
  extract: {
    fields: {
      number: { line: '^Sales:\\s+(\\S+)' },
      date: { line: '^Date:\\s+(\\d\\d/\\d\\d/\\d{4})\\s+Time:\\s+([\\d:]+)', groups: ['d', 't'] },
      total: { line: '^TOTAL\\s+([\\d.,]+)$', last: true },
    },
    tables: {
      items: {
        from: '^=+$',
        to: '^-+$',
        row: '^(?<name>.{1,24}?)\\s{2,}(?<qty>\\d+)?\\s+(?<amount>-?[\\d.]+)$',
      },
    },
  },
  transform: {
    language: 'jsonata',
    expression: `{
      "transaction_id": fields.number,
      "localtime": $iso(fields.date.d, fields.date.t, 'DD/MM/YYYY HH:mm:ss'),
      "store_reference": "1",
      "total": $money(fields.total),
      "items": tables.items.{ "name": name, "quantity": $number(qty), "total": $money(amount) }[]
    }`,
  },
};

const vendorJson = (number = uniqueId('vendor')) =>
  JSON.stringify({
    number,
    time: '2026-03-14T12:30:00',
    sum: 7.5,
    lines: [{ text: 'Cufflinks', qty: 1, amount: 7.5 }],
  });

const slip = (number: string) => `ACME
Sales: ${number}
Date: 14/03/2026 Time: 12:30:00
==============================
Red shirt          1    19.99
Café crème         2     5.49
------------------------------
TOTAL                   25.48
`;

beforeAll(async () => {
  retailer = await aRetailer({ timezone: 'Europe/Paris' });
  await retailer.api.post('/stores', { reference: 1, name: 'One', country: 'FRA' });
  for (const mapping of [jsonMapping, textMapping]) {
    expect((await retailer.api.post('/pos/mappings', mapping)).status).toBe(201);
    const activated = await retailer.api.post(`/pos/mappings/${mapping.id}/_activate`, {});
    expect([activated.status, activated.body]).toMatchObject([200, { id: mapping.id, status: 'active' }]);
  }
});

const post = (
  body: string | Buffer,
  headers: Record<string, string> = {},
  query: Record<string, string> = {},
) =>
  retailer.api.call('/pos/receipts', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
    query,
  });

const idIn = (answer: HttpResponse) => (answer.headers.location as string).slice('/receipts/'.length);
const converted = (answer: HttpResponse) =>
  until('the conversion', async () => {
    const receipt = await retailer.api.get(answer.headers.location as string);
    if (receipt.status === 200) return receipt;
    expect([receipt.status, receipt.body.code]).toEqual([409, 'processing_pending']);
    return undefined;
  });
const packetOf = async (answer: HttpResponse) => {
  const packet = await until('the end of the packet', async () => {
    const found = await retailer.api.get(`/pos/packets/${idIn(answer)}`);
    return found.status === 200 && found.body.status !== 'accepted' && found;
  });
  return packet.body;
};

it('returns 202 without a body but with a Location, and creates a receipt', async () => {
  const number = uniqueId('vendor');
  const answer = await post(vendorJson(number));
  expect([answer.status, answer.bytes.length]).toEqual([202, 0]);
  expect(answer.headers.location).toMatch(/^\/receipts\/[0-9a-f]{24}$/);
  const receipt = (await converted(answer)).body;
  expect(receipt).toMatchObject({
    id: idIn(answer),
    transaction_id: number,
    localtime: '2026-03-14T12:30:00+01:00',
    total: 7.5,
    items: [{ name: 'Cufflinks', quantity: 1, total: 7.5 }],
    store: { name: 'One' },
  });
  expect(receipt.pos_data_ids).toHaveLength(1);
});

it('reports a packet as pending, never as unknown, until it is converted', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(vendorJson())));
  await Promise.all(answers.map((answer) => converted(answer)));
});

it('converts plain printer text to a receipt', async () => {
  const number = uniqueId('T').replaceAll('-', '');
  const answer = await post(Buffer.from(slip(number)), { 'content-type': 'text/plain; charset=utf-8' });
  expect(answer.status).toBe(202);
  expect((await converted(answer)).body).toMatchObject({
    transaction_id: number,
    total: 25.48,
    items: [
      { name: 'Red shirt', quantity: 1, total: 19.99 },
      { name: 'Café crème', quantity: 2, total: 5.49 },
    ],
  });
});

it('shows the result of the packet', async () => {
  const answer = await post(vendorJson());
  expect(await packetOf(answer)).toMatchObject({
    status: 'converted',
    reason: null,
    errors: [],
    content_type: 'application/json',
    receipt_id: idIn(answer),
    receipt_ids: [idIn(answer)],
    mapping: { id: 'vendor-json', version: 1 },
    duplicate: false,
  });
});

describe('properties', () => {
  it('are accepted in query and header: a header and the first of repeated names take precedence; case and - or _ do not matter', async () => {
    const answer = await post(
      vendorJson(),
      { 'service-property-EMAIL': 'header@example.com' },
      { 'property-email': 'query@example.com', 'Property-Note': 'first' },
    );
    const { properties } = (await converted(answer)).body;
    expect(properties).toMatchObject({ email: 'header@example.com', note: 'first' });
  });
});

describe('metadata', () => {
  it('identifier, store, till and transaction id supply what the mapping omits', async () => {
    const answer = await post(
      vendorJson(),
      { 'service-identifier': 'joe@example.com', 'service-till-uuid': randomUUID() },
      { identifier: 'query@example.com', TILL_ID: 'T7' },
    );
    const receipt = (await converted(answer)).body;
    expect(receipt.identifier).toBe('joe@example.com');
    expect(receipt.till_uuid).toMatch(/^[0-9a-f-]{36}$/);
    expect((await packetOf(answer)).metadata).toMatchObject({ identifier: 'joe@example.com', till_id: 'T7' });
  });

  it('duplicate marks a duplicate receipt, by query or header', async () => {
    const number = uniqueId('vendor');
    await converted(await post(vendorJson(number)));
    for (const [headers, query] of [
      [{ 'service-duplicate': 'true' }, {}],
      [{}, { duplicate: 'true' }],
    ] as [Record<string, string>, Record<string, string>][]) {
      const receipt = (await converted(await post(vendorJson(number), headers, query))).body;
      expect(receipt.transaction_id).toMatch(new RegExp(`^${number}-duplicate-[a-z]{4}$`));
    }
  });

  it('external_id: repeated bytes are accepted but converted once, and other bytes return 409', async () => {
    const external_id = randomUUID();
    const body = vendorJson();
    const first = await post(body, { 'service-external-id': external_id });
    const again = await post(body, {}, { external_id: external_id.toUpperCase() });
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.headers.location).toBe(first.headers.location);
    expect((await converted(first)).body.external_id).toBe(external_id);
    const other = await post(vendorJson(), { 'service-external-id': external_id });
    expect(other.status).toBe(409);
  });

  it.each<[Record<string, string>, Record<string, string>, string]>([
    [{}, { duplicate: 'maybe' }, '/duplicate'],
    [{}, { external_id: 'x' }, '/external_id'],
    [{}, { till_id: '' }, '/till_id'],
    [{ 'service-duplicate': 'maybe' }, {}, '/service-duplicate'],
    [{ 'service-external-id': 'x' }, {}, '/service-external-id'],
    [{ 'service-till-id': '' }, {}, '/service-till-id'],
    [{ 'service-attachment-id': 'a' }, {}, '/service-attachment-id'],
  ])('the headers %j and the query %j return 400 and name what is invalid', async (headers, query, path) => {
    const answer = await post(vendorJson(), headers, query);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_parameter']);
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toEqual([path]);
    expect(answer.body.description).toMatch(new RegExp(`^${path.slice(1)} must `));
  });

  it('a valid header takes precedence over an invalid query parameter', async () => {
    expect(
      (await post(vendorJson(), { 'service-external-id': randomUUID() }, { external_id: 'x' })).status,
    ).toBe(202);
  });

  it('returns the same Location for a retry with the same Idempotency-Key, and 409 for another body', async () => {
    const headers = { 'idempotency-key': uniqueId('key') };
    const body = vendorJson();
    const first = await post(body, headers);
    const again = await post(body, headers);
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.headers.location).toBe(first.headers.location);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const other = await post(vendorJson(), headers);
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_mismatch']);
  });
});

describe('a failed packet is stored with the reason', () => {
  const failed = async (answer: HttpResponse) => {
    expect(answer.status).toBe(202);
    const packet = await packetOf(answer);
    expect(packet.status).toBe('failed');
    const receipt = await retailer.api.get(answer.headers.location as string);
    expect([receipt.status, receipt.body.code]).toEqual([404, 'receipt_not_found']);
    return packet;
  };

  it('if no mapping matches its type', async () => {
    expect((await failed(await post('<x/>', { 'content-type': 'application/xml' }))).reason).toBe(
      'no_mapping',
    );
    expect((await failed(await post(vendorJson(), { 'service-mapping': 'nowhere' }))).reason).toBe(
      'no_mapping',
    );
  });

  it('if its data does not match its type', async () => {
    expect((await failed(await post('{"broken":'))).reason).toBe('decode_failed');
  });

  it('if its receipt violates the schema, with every error', async () => {
    const packet = await failed(await post(JSON.stringify({ number: 1, lines: [] })));
    expect(packet.reason).toBe('invalid_receipt');
    expect(packet.errors.length).toBeGreaterThanOrEqual(3);
    for (const error of packet.errors)
      expect(error).toMatchObject({ path: expect.any(String), message: expect.any(String) });
  });

  it('if its transaction id already exists', async () => {
    const number = uniqueId('vendor');
    await converted(await post(vendorJson(number)));
    expect((await failed(await post(vendorJson(number)))).reason).toBe('duplicate_transaction_id');
  });
});

it('stores the raw bytes unchanged', async () => {
  const bytes = Buffer.from(Array.from({ length: 1024 }, (_, n) => n % 256));
  const answer = await post(bytes, { 'content-type': 'application/octet-stream' });
  const packet = await packetOf(answer);
  const raw = await retailer.api.get(`/pos/packets/${packet.id}/raw`);
  expect(raw.status).toBe(200);
  expect(raw.bytes.equals(bytes)).toBe(true);
  expect(raw.headers['content-type']).toMatch(/^application\/octet-stream/);
});

it('requires credentials and the permission', async () => {
  const reader = await retailer.clientWith({ permissions: ['view.get_receipt'] });
  const refused = await reader.call('/pos/receipts', {
    method: 'POST',
    body: 'x',
    headers: { 'content-type': 'text/plain' },
  });
  expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied']);
});

it('works with a signature', async () => {
  const answer = await retailer.signed().call('/pos/receipts', {
    method: 'POST',
    body: vendorJson(),
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.status).toBe(202);
});

it('returns 413 for a body of more than 2 MiB', async () => {
  const answer = await post(Buffer.alloc(2 * 1024 * 1024 + 1), {
    'content-type': 'application/octet-stream',
  });
  expect([answer.status, answer.body.code]).toEqual([413, 'body_too_large']);
});

it("does not show another retailer the packet or the receipt's pending state", async () => {
  const other = await aRetailer();
  const answer = await post(vendorJson());
  expect((await other.api.get(`/pos/packets/${idIn(answer)}`)).status).toBe(404);
  expect((await other.api.get(answer.headers.location as string)).status).toBe(404);
});
