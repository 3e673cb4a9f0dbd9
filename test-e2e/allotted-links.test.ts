import { randomUUID } from 'node:crypto';
import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import type { HttpResponse } from './harness/http';
import { aReceipt, uniqueId } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

interface Allotted {
  readonly link: string;
  readonly webview: { readonly href: string; readonly qrcode: { readonly href: string } };
  readonly expires_timestamp: string;
}

let retailer: TestRetailer;
let anybody: Client;

const mapping = {
  id: 'vendor-json',
  match: { content_type: ['application/json'] },
  decode: { type: 'json' },
  transform: {
    language: 'jsonata',
    expression: `{
      "transaction_id": doc.number, "localtime": "2026-03-14T12:30:00", "store_reference": "1", "total": 7.5,
      "items": [{ "name": "Cufflinks", "quantity": 1, "total": 7.5 }], "link": doc.link, "incomplete": doc.incomplete
    }`,
  },
};

beforeAll(async () => {
  retailer = await aRetailer({ response_links: true, locale: 'en_GB' });
  anybody = await anonymous();
  expect((await retailer.api.post('/pos/mappings', mapping)).status).toBe(201);
  expect((await retailer.api.post('/pos/mappings/vendor-json/_activate', {})).status).toBe(200);
});

const allot = async (body: object = {}, from = retailer) => {
  const answer = await from.api.post('/receipts/_link', body);
  expect(answer.status).toBe(201);
  return answer.body.links as Allotted[];
};
const oneLink = async () => (await allot())[0] as Allotted;
const pathOf = ({ webview }: Allotted) => new URL(webview.href).pathname;
const page = (allotted: Allotted, headers: Record<string, string> = {}) =>
  anybody.get(pathOf(allotted), undefined, { accept: 'text/html', ...headers });
const statusOf = async (allotted: Allotted) => (await anybody.get(pathOf(allotted), { format: 'json' })).body;
const isReady = (allotted: Allotted) =>
  until('the page of the receipt', async () => (await statusOf(allotted)).status === 'ready');
const refusal = ({ status, body }: HttpResponse) => [status, body.code];
const post = (link: unknown, overrides: object = {}, headers: Record<string, string> = {}) =>
  retailer.api.post('/receipts', { ...aReceipt(), link, ...overrides }, headers);
const raw = (link: string, data: object = {}, headers: Record<string, string> = {}) =>
  retailer.api.call('/pos/receipts', {
    method: 'POST',
    query: { link },
    body: JSON.stringify({ number: uniqueId('raw'), ...data }),
    headers: { 'content-type': 'application/json', ...headers },
  });
const idIn = ({ headers }: HttpResponse) => (headers.location as string).slice('/receipts/'.length);
const packetOf = (answer: HttpResponse) =>
  until('the outcome of the packet', async () => {
    const { status, body } = await retailer.api.get(`/pos/packets/${idIn(answer)}`);
    return status === 200 && body.status !== 'accepted' && body;
  });

describe('POST /receipts/_link', () => {
  it('creates one link unless more are requested', async () => {
    const [one, ...none] = await allot();
    expect(none).toEqual([]);
    expect(Object.keys(one as Allotted)).toEqual(['link', 'webview', 'expires_timestamp']);
    expect(one?.link).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(one?.webview).toEqual({ href: one?.webview.href, qrcode: { href: `${one?.webview.href}/qr` } });
    const days = (Date.parse(one?.expires_timestamp ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.99);
    expect(days).toBeLessThanOrEqual(30);
    const many = await allot({ count: 100, store_reference: 'unknown' });
    expect(new Set(many.flatMap(({ link, webview }) => [link, webview.href])).size).toBe(200);
  });

  it('does not require a body', async () => {
    const answer = await retailer.api.call('/receipts/_link', { method: 'POST' });
    expect([answer.status, answer.body.links.length]).toEqual([201, 1]);
  });

  it.each([
    [{ count: 0 }, '/count'],
    [{ count: 101 }, '/count'],
    [{ count: 1.5 }, '/count'],
    [{ store_reference: '' }, '/store_reference'],
    [{ stores: 1 }, '/stores'],
  ])('rejects %j', async (body, path) => {
    const answer = await retailer.api.post('/receipts/_link', body);
    expect(refusal(answer)).toEqual([422, 'schema_validation_failed']);
    expect(answer.body.errors).toMatchObject([{ path }]);
  });

  it('rejects an unknown store if receipts from unknown stores are rejected', async () => {
    const strict = await aRetailer({ stores: { from_receipt: false, require_known: true } });
    await strict.api.post('/stores', { reference: 7, name: 'Seven', country: 'FRA' });
    expect(refusal(await strict.api.post('/receipts/_link', { store_reference: 8 }))).toEqual([
      422,
      'store_not_found',
    ]);
    expect(await allot({ store_reference: '7' }, strict)).toHaveLength(1);
  });

  it('requires the permission to post receipts', async () => {
    const reader = await retailer.clientWith({ permissions: ['view.get_receipt'] });
    expect(refusal(await reader.post('/receipts/_link', {}))).toEqual([403, 'permission_denied']);
  });

  it('returns the same links for a retry with the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await retailer.api.post('/receipts/_link', { count: 3 }, headers);
    const again = await retailer.api.post('/receipts/_link', { count: 3 }, headers);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const other = await retailer.api.post('/receipts/_link', { count: 4 }, headers);
    expect(refusal(other)).toEqual([409, 'idempotency_mismatch']);
  });
});

describe('a link without a receipt', () => {
  it("has a page in the reader's language that refreshes itself without a script", async () => {
    const allotted = await oneLink();
    const english = await page(allotted);
    expect(english.status).toBe(200);
    expect(english.headers['content-type']).toBe('text/html; charset=utf-8');
    const html = english.bytes.toString();
    expect(html).toContain('Your receipt is on its way');
    expect(html).toContain(`Retailer ${retailer.id}`);
    expect(html).toMatch(/<meta http-equiv="refresh" content="\d+" \/>/);
    expect(html).not.toContain('<script');
    const french = await page(allotted, { 'accept-language': 'eo, fr-CA;q=0.8, en;q=0.5' });
    expect(french.headers['content-language']).toBe('fr-CA');
    expect(french.bytes.toString()).toContain('Votre ticket est en route');
    const german = await anybody.get(pathOf(allotted), { lang: 'de' }, { accept: 'text/html' });
    expect(german.bytes.toString()).toContain('<html lang="de" dir="ltr">');
    const text = await page(allotted, { accept: 'text/plain' });
    expect(text.bytes.toString()).toMatch(/^Your receipt is on its way\. This page refreshes itself .*\n$/);
  });

  it('has a status for programs, a QR code, and no PDF', async () => {
    const allotted = await oneLink();
    expect(await statusOf(allotted)).toEqual({ status: 'waiting' });
    const negotiated = await page(allotted, { accept: 'application/json' });
    expect([negotiated.body, negotiated.headers['content-type']]).toEqual([
      { status: 'waiting' },
      'application/json',
    ]);
    const code = await anybody.get(`${pathOf(allotted)}/qr`);
    expect([code.status, code.headers['content-type']]).toEqual([200, 'image/png']);
    expect(refusal(await anybody.get(`${pathOf(allotted)}/pdf`))).toEqual([409, 'processing_pending']);
  });

  it('is unknown if it was not issued', async () => {
    expect(refusal(await anybody.get('/r/unknown'))).toEqual([404, 'link_not_found']);
    expect(refusal(await anybody.get('/r/unknown', { format: 'json' }))).toEqual([404, 'link_not_found']);
  });
});

describe('POST /receipts with a link', () => {
  it('shows the receipt on the page of the link, and returns the same links', async () => {
    const allotted = await oneLink();
    const created = await post(allotted.link);
    expect(created.status).toBe(201);
    expect(created.body._links.webview).toEqual(allotted.webview);
    const { body } = await retailer.api.get(`/receipts/${created.body.id}/links`);
    expect(body._links.webview).toEqual(allotted.webview);
    const shown = await page(allotted);
    expect([shown.status, shown.bytes.toString().includes('on its way')]).toEqual([200, false]);
    expect(shown.bytes.toString()).not.toContain('http-equiv="refresh"');
    expect(await statusOf(allotted)).toEqual({ status: 'ready' });
    const receipt = await retailer.api.get(`/receipts/${created.body.id}`);
    expect([receipt.status, 'link' in receipt.body]).toEqual([200, false]);
  });

  it('accepts a link only once', async () => {
    const { link } = await oneLink();
    const attempts = await Promise.all(Array.from({ length: 8 }, () => post(link)));
    const created = attempts.filter(({ status }) => status === 201);
    expect(created).toHaveLength(1);
    const id = created[0]?.body.id as string;
    for (const { status, body } of attempts.filter((each) => each.status !== 201)) {
      expect([status, body.code, body.id]).toEqual([409, 'link_taken', id]);
    }
    const copy = await post(link, { duplicate: true });
    expect([...refusal(copy), copy.body.id]).toEqual([409, 'link_taken', id]);
  });

  it('recognizes a retry: the same transaction is a duplicate, and the same key gets the same response', async () => {
    const { link } = await oneLink();
    const transaction = { transaction_id: uniqueId('again') };
    const headers = { 'idempotency-key': randomUUID() };
    const receipt = { ...aReceipt(transaction), link };
    const first = await retailer.api.post('/receipts', receipt, headers);
    const replayed = await retailer.api.post('/receipts', receipt, headers);
    expect([replayed.status, replayed.body, replayed.headers['idempotent-replayed']]).toEqual([
      201,
      first.body,
      'true',
    ]);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    const again = await post(link, transaction);
    expect([...refusal(again), again.body.id]).toEqual([409, 'duplicate_transaction_id', first.body.id]);
  });

  it.each(['', 'unknown', 'x'.repeat(65), 'no link!'])('rejects the unknown link "%s"', async (link) => {
    expect(refusal(await post(link))).toEqual([422, 'link_not_found']);
  });

  it("rejects another retailer's link, and values that are not strings", async () => {
    const [foreign] = await allot({}, await aRetailer());
    expect(refusal(await post(foreign?.link))).toEqual([422, 'link_not_found']);
    expect(refusal(await post(5))).toEqual([422, 'schema_validation_failed']);
    expect((await post(null)).status).toBe(201);
  });

  it('deletes the page of the link with its receipt, but does not release the link', async () => {
    const allotted = await oneLink();
    const { id } = (await post(allotted.link)).body as { id: string };
    expect((await retailer.api.call(`/receipts/${id}`, { method: 'DELETE' })).status).toBe(204);
    for (const path of ['', '/pdf', '/qr']) {
      const answer = await anybody.get(`${pathOf(allotted)}${path}`);
      expect(refusal(answer)).toEqual([410, 'receipt_deleted']);
    }
    expect(refusal(await post(allotted.link))).toEqual([409, 'link_taken']);
    expect(refusal(await raw(allotted.link))).toEqual([409, 'link_taken']);
  });

  it('uses a link for one line of a batch, and rejects only the lines whose link is unusable', async () => {
    const allotted = await oneLink();
    const [foreign] = await allot({}, await aRetailer());
    const links = [allotted.link, allotted.link, foreign?.link, 'unknown', undefined];
    const receipts = links.map((link) => ({ ...aReceipt(), link }));
    const { body } = await retailer.api.post('/receipts/_batch', { receipts });
    const results = body.results as { status: number; code?: string; id?: string; _links?: object }[];
    expect(results.map(({ status, code }) => [status, code])).toEqual([
      [201, undefined],
      [409, 'link_taken'],
      [422, 'link_not_found'],
      [422, 'link_not_found'],
      [201, undefined],
    ]);
    expect(results[1]?.id).toBe(results[0]?.id);
    expect(results[0]?._links).toMatchObject({ webview: allotted.webview });
    expect(await statusOf(allotted)).toEqual({ status: 'ready' });
  });

  it('shows a void on the page of the link', async () => {
    const allotted = await oneLink();
    const { id } = (await post(allotted.link)).body as { id: string };
    expect((await retailer.api.post(`/receipts/${id}/_void`, {})).status).toBe(200);
    const shown = await page(allotted, { 'accept-language': 'en' });
    expect(shown.status).toBe(200);
    expect(shown.bytes.toString()).toContain('This receipt was voided.');
    expect(await statusOf(allotted)).toEqual({ status: 'ready' });
    expect(refusal(await post(allotted.link))).toEqual([409, 'link_taken']);
  });

  it('allows the link to be revoked like any other link', async () => {
    const allotted = await oneLink();
    const { id } = (await post(allotted.link)).body as { id: string };
    const revoked = await retailer.api.post(`/receipts/${id}/links/_revoke`, undefined);
    expect(refusal(await page(allotted, { accept: '*/*' }))).toEqual([404, 'link_not_found']);
    const { pathname } = new URL(revoked.body._links.webview.href as string);
    expect((await anybody.get(pathname)).status).toBe(200);
  });
});

describe('POST /pos/receipts with a link', () => {
  it('shows the converted receipt on the page of the link', async () => {
    const allotted = await oneLink();
    const answer = await raw(allotted.link);
    expect(answer.status).toBe(202);
    await isReady(allotted);
    const receipt = await retailer.api.get(answer.headers.location as string);
    expect([receipt.status, receipt.body.id]).toEqual([200, idIn(answer)]);
    const links = await retailer.api.get(`${answer.headers.location}/links`);
    expect(links.body._links.webview).toEqual(allotted.webview);
    expect(await packetOf(answer)).toMatchObject({
      receipt_id: idIn(answer),
      receipt_ids: [idIn(answer)],
      metadata: { link: allotted.link },
    });
  });

  it('prefers the link in the header', async () => {
    const [mine, other] = await allot({ count: 2 });
    const answer = await raw(other?.link ?? '', {}, { 'service-link': mine?.link ?? '' });
    expect(answer.status).toBe(202);
    await isReady(mine as Allotted);
    expect(await statusOf(other as Allotted)).toEqual({ status: 'waiting' });
  });

  it('immediately rejects a link that a receipt or an accepted packet already uses', async () => {
    const { link } = await oneLink();
    const answer = await raw(link);
    const refused = [await raw(link), await post(link)];
    for (const each of refused) {
      expect([...refusal(each), each.body.id]).toEqual([409, 'link_taken', idIn(answer)]);
    }
    const posted = await oneLink();
    const { id } = (await post(posted.link)).body as { id: string };
    const taken = await raw(posted.link);
    expect([...refusal(taken), taken.body.id]).toEqual([409, 'link_taken', id]);
  });

  it("rejects unknown links and another retailer's", async () => {
    const [foreign] = await allot({}, await aRetailer());
    for (const link of ['unknown', foreign?.link ?? '']) {
      expect(refusal(await raw(link))).toEqual([422, 'link_not_found']);
    }
    expect(refusal(await raw(''))).toEqual([400, 'invalid_parameter']);
  });

  it('recognizes a retry by its Idempotency-Key and by its external id', async () => {
    const { link } = await oneLink();
    const data = { number: uniqueId('raw') };
    const headers = { 'idempotency-key': randomUUID(), 'service-external-id': randomUUID() };
    const first = await raw(link, data, headers);
    await packetOf(first);
    const again = await raw(link, data, headers);
    expect([again.status, idIn(again), again.headers['idempotent-replayed']]).toEqual([
      202,
      idIn(first),
      'true',
    ]);
    const sameData = await raw(link, data, { 'service-external-id': headers['service-external-id'] });
    expect([sameData.status, idIn(sameData)]).toEqual([202, idIn(first)]);
  });

  it('releases the link after a failed conversion', async () => {
    const allotted = await oneLink();
    const failed = await raw(allotted.link, { incomplete: 'perhaps' });
    expect(await packetOf(failed)).toMatchObject({ status: 'failed' });
    expect(await statusOf(allotted)).toEqual({ status: 'waiting' });
    const next = await raw(allotted.link);
    expect([next.status, idIn(next)]).toEqual([202, idIn(failed)]);
    await isReady(allotted);
    expect(refusal(await raw(allotted.link))).toEqual([409, 'link_taken']);
  });

  it('uses the link when a failed packet is converted later', async () => {
    const allotted = await oneLink();
    const answer = await raw(allotted.link, {}, { 'content-type': 'text/x-later' });
    const failed = await packetOf(answer);
    expect(failed).toMatchObject({ status: 'failed', reason: 'no_mapping' });
    const later = { ...mapping, id: 'later', match: { content_type: ['text/x-later'] } };
    expect((await retailer.api.post('/pos/mappings', later)).status).toBe(201);
    expect((await retailer.api.post('/pos/mappings/later/_activate', {})).status).toBe(200);
    const again = await retailer.api.post(`/pos/packets/${failed.id}/_reprocess`, undefined);
    expect(again.status).toBe(202);
    await isReady(allotted);
    expect((await retailer.api.get(`/receipts/${idIn(answer)}`)).status).toBe(200);
  });

  it('does not allow a mapping to choose the link', async () => {
    const [mine, other] = await allot({ count: 2 });
    const answer = await raw(mine?.link ?? '', { link: other?.link });
    expect(await packetOf(answer)).toMatchObject({ status: 'failed', reason: 'invalid_receipt' });
    for (const allotted of [mine, other])
      expect(await statusOf(allotted as Allotted)).toEqual({ status: 'waiting' });
  });
});
