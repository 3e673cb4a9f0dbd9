import type { TestRetailer } from './harness/client';
import { aReceipt, uniqueId } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer();
});

const post = (body: string | Buffer, headers: Record<string, string>, from = retailer) =>
  from.api.call('/attachments', { method: 'POST', body, headers });

const named = (name: string, type = 'text/plain') => ({
  'content-type': type,
  'content-disposition': `attachment; filename="${name}"`,
});

describe('POST /attachments', () => {
  it('returns 201 with Location, id and url', async () => {
    const answer = await post('hello', named('hello.txt'));
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`/attachments/${answer.body.id}`);
    expect(answer.body).toEqual({ id: expect.any(String), url: expect.stringContaining(answer.body.id) });
  });

  it('requires a file name', async () => {
    for (const headers of [{}, { 'content-disposition': 'attachment' }] as Record<string, string>[]) {
      const answer = await post('x', { 'content-type': 'text/plain', ...headers });
      expect([answer.status, answer.body.code]).toEqual([400, 'filename_missing']);
    }
  });

  it('accepts 10 MiB and no more', async () => {
    const most = Buffer.alloc(10 * 1024 * 1024, 'x');
    const answer = await post(most, named('big.bin', 'application/octet-stream'));
    expect(answer.status).toBe(201);
    const found = await retailer.api.get(answer.headers.location as string);
    expect(found.bytes.equals(most)).toBe(true);
    const more = await post(Buffer.concat([most, Buffer.from('x')]), named('big.bin'));
    expect([more.status, more.body.code]).toEqual([413, 'body_too_large']);
  });

  it('returns the same attachment for the same Idempotency-Key', async () => {
    const headers = { ...named('a.txt'), 'idempotency-key': uniqueId('key') };
    const [first, again] = [await post('a', headers), await post('a', headers)];
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });
});

describe('GET /attachments/{id}', () => {
  it('returns the bytes and their type, as a download that is never executed', async () => {
    const script = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
    const { headers } = await post(script, named('..\\..\\pic"ture.svg', 'image/svg+xml'));
    const found = await retailer.api.get(headers.location as string);
    expect([found.status, found.bytes.toString()]).toEqual([200, script]);
    expect(found.headers).toMatchObject({
      'content-type': expect.stringMatching(/^image\/svg\+xml/),
      'content-disposition': expect.stringMatching(/^attachment; filename="[^"\\/]+"/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
    });
  });

  it('returns 404 for an unknown id and for another retailer', async () => {
    const other = await aRetailer();
    const { headers } = await post('x', named('x.txt'));
    expect((await other.api.get(headers.location as string)).status).toBe(404);
    const unknown = await retailer.api.get('/attachments/000000000000000000000000');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'attachment_not_found']);
  });

  it('is available to a consumer only through one of their receipts', async () => {
    const { body, headers } = await post('terms', named('terms.txt'));
    const location = headers.location as string;
    const as = (consumer: string) => retailer.signed({ consumer }).get(location);
    expect((await as('joe')).status).toBe(404);
    const receipt = { ...aReceipt(), identifier: 'joe', attachments: { terms: { id: body.id } } };
    expect((await retailer.api.post('/receipts', receipt)).status).toBe(201);
    expect((await as('joe')).bytes.toString()).toBe('terms');
    expect((await as('ann')).status).toBe(404);
  });
});

it('opens for everyone who has the link to the page of its receipt, until the link is revoked', async () => {
  const { body } = await post('terms', named('terms.txt'));
  const receipt = { ...aReceipt(), attachments: { 'the.terms': { id: body.id } } };
  const created = await retailer.api.post('/receipts', receipt);
  const { _links } = (await retailer.api.get(`/receipts/${created.body.id}/links`)).body;
  const anybody = await anonymous();
  const path = new URL(_links.webview.href).pathname;
  const page = await anybody.get(path, undefined, { accept: 'text/html' });
  expect(page.bytes.toString()).toContain(`href="${_links.webview.href}/attachments/the.terms"`);

  const file = await anybody.get(`${path}/attachments/the.terms`);
  expect([file.status, file.bytes.toString()]).toEqual([200, 'terms']);
  expect(file.headers).toMatchObject({
    'content-disposition': 'attachment; filename="terms.txt"',
    'content-security-policy': "sandbox; default-src 'none'",
    'x-robots-tag': 'noindex, nofollow',
  });
  for (const label of ['terms', '__proto__', body.id]) {
    const unknown = await anybody.get(`${path}/attachments/${label}`);
    expect([unknown.status, unknown.body.code]).toEqual([404, 'attachment_not_found']);
  }
  await retailer.api.call(`/receipts/${created.body.id}/links/_revoke`, { method: 'POST' });
  expect((await anybody.get(`${path}/attachments/the.terms`)).body.code).toBe('link_not_found');
});

it("does not link another retailer's attachment to a raw receipt", async () => {
  const other = await aRetailer();
  const { body } = await post('x', named('x.txt'), other);
  const answer = await retailer.api.call('/pos/receipts', {
    method: 'POST',
    body: 'x',
    headers: { 'content-type': 'text/plain', 'service-attachment-id': `${body.id}; label=a` },
  });
  expect([answer.status, answer.body.code]).toEqual([422, 'attachment_not_found']);
});
