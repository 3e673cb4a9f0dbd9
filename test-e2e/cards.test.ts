import type { Client, TestRetailer } from './harness/client';
import { uniqueId } from './harness/receipts';
import { anonymous, aRetailer, operator, sharedPlatform } from './harness/shared-platform';

const card = '4539578763621486';
const code = '123456';

let retailer: TestRetailer;
let root: Client;

const importTo = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  root.call(`/operator/retailers/${id}/cards`, { method: 'PUT', body, headers });

beforeAll(async () => {
  root = await operator();
  retailer = await aRetailer({ cards: { enabled: true, check: 'luhn' } });
  const answer = await importTo(retailer.id, [{ card_number: card, registration_code: code }]);
  expect([answer.status, answer.body]).toEqual([200, { imported: 1, replaced: 0 }]);
});

const verify = (card_number: unknown, registration_code: unknown, by: Client = retailer.api) =>
  by.post('/cards', { card_number, registration_code });

describe('POST /cards', () => {
  it('returns 204 without a body for a card with its code', async () => {
    const answer = await verify(card, code);
    expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
  });

  it.each<[string, string, string, string]>([
    ['a number that fails the check', '4539578763621487', code, 'invalid card number'],
    ['a number with letters', 'ABC', code, 'invalid card number'],
    ['the code of another card', card, '000000', 'invalid registration code'],
    ['an unknown card', '79927398713', code, 'invalid registration code'],
  ])('returns 400 for %s', async (_what, number, given, description) => {
    const answer = await verify(number, given);
    expect([answer.status, answer.body.status, answer.body.description]).toEqual([
      400,
      'bad request',
      description,
    ]);
  });

  it('returns 400 (retailer has no cards) for a retailer that has not enabled cards', async () => {
    const plain = await aRetailer();
    const answer = await verify(card, code, plain.api);
    expect([answer.status, answer.body.description]).toEqual([400, 'retailer has no cards']);
  });

  it("does not find another retailer's card", async () => {
    const other = await aRetailer({ cards: { enabled: true, check: 'luhn' } });
    expect((await verify(card, code, other.api)).body.description).toBe('invalid registration code');
  });

  it.each<[string, unknown, string[]]>([
    ['nothing', {}, ['/card_number', '/registration_code']],
    ['a number', { card_number: 1, registration_code: code }, ['/card_number']],
    ['an empty code', { card_number: card, registration_code: '' }, ['/registration_code']],
    ['an unknown field', { card_number: card, registration_code: code, pin: 1 }, ['/pin']],
  ])('returns 422 for %s', async (_what, body, paths) => {
    const answer = await retailer.api.post('/cards', body);
    expect([answer.status, answer.body.code]).toEqual([422, 'schema_validation_failed']);
    expect(answer.body.errors.map((fault: { path: string }) => fault.path)).toEqual(paths);
  });

  it('locks the card after ten wrong codes, with 429 and Retry-After even for the right code', async () => {
    const number = '18';
    await importTo(retailer.id, [{ card_number: number, registration_code: code }]);
    for (let n = 0; n < 10; n++) expect((await verify(number, `wrong ${n}`)).status).toBe(400);
    const locked = await verify(number, code);
    expect([locked.status, locked.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(locked.headers['retry-after'])).toBeGreaterThan(0);
    expect((await verify(card, code)).status).toBe(204);
  });

  it('repeats the original response for a retry with the same Idempotency-Key', async () => {
    const key = { 'idempotency-key': uniqueId('key') };
    const body = { card_number: card, registration_code: code };
    expect((await retailer.api.post('/cards', body, key)).status).toBe(204);
    const again = await retailer.api.post('/cards', body, key);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([204, 'true']);
  });

  it('requires view.post_card', async () => {
    const without = await retailer.clientWith({ permissions: ['view.get_identifier'] });
    expect((await verify(card, code, without)).status).toBe(403);
    const holder = await retailer.clientWith({ permissions: ['view.post_card'] });
    expect((await verify(card, code, holder)).status).toBe(204);
    expect((await verify(card, code, await anonymous())).status).toBe(401);
  });

  it("finds the demo retailer's card", async () => {
    const { credentials } = sharedPlatform();
    const headers = { authorization: `Bearer ${credentials.bearer.token}` };
    const demo = await (
      await anonymous()
    ).call('/cards', {
      method: 'POST',
      body: { card_number: card, registration_code: code },
      headers,
    });
    expect(demo.status).toBe(204);
  });
});

describe('PUT /operator/retailers/{id}/cards', () => {
  const csv = { 'content-type': 'text/csv' };

  it('accepts CSV, and counts new and replaced cards separately', async () => {
    const text = 'card_number,registration_code\r\n26,one\r\n34,"t,wo"\r\n';
    const first = await importTo(retailer.id, text, csv);
    expect([first.status, first.body]).toEqual([200, { imported: 2, replaced: 0 }]);
    expect((await importTo(retailer.id, text, csv)).body).toEqual({ imported: 0, replaced: 2 });
    expect((await verify('34', 't,wo')).status).toBe(204);
    expect((await verify(card, code)).status).toBe(204);
  });

  it.each<[string, unknown, Record<string, string>, number, string]>([
    ['broken JSON', '[', { 'content-type': 'application/json' }, 400, 'malformed_body'],
    ['other columns', 'a,b\r\n1,2\r\n', csv, 400, 'malformed_body'],
    ['not an array', {}, {}, 422, 'schema_validation_failed'],
    ['a card without a code', [{ card_number: '1' }], {}, 422, 'schema_validation_failed'],
    ['another type', 'x', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
  ])('rejects %s', async (_what, body, headers, status, error) => {
    const answer = await importTo(retailer.id, body, headers);
    expect([answer.status, answer.body.code]).toEqual([status, error]);
  });

  it('returns 404 for an unknown retailer, 401 without a token, and 403 with a retailer’s token', async () => {
    expect((await importTo('no-such', [])).status).toBe(404);
    const address = `/operator/retailers/${retailer.id}/cards`;
    expect((await (await anonymous()).put(address, [])).status).toBe(401);
    expect((await retailer.api.put(address, [])).status).toBe(403);
  });

  it('imports 100,000 cards in one request without delaying other requests', async () => {
    const cards = Array.from({ length: 100_000 }, (_, n) => ({
      card_number: `70${n}`,
      registration_code: `${n * 7}`,
    }));
    let done = false;
    const importing = importTo(retailer.id, cards).finally(() => (done = true));
    const begunAt = performance.now();
    let longestMs = 0;
    let answered = 0;
    while (!done) {
      const began = performance.now();
      expect((await verify(card, code)).status).toBe(204);
      longestMs = Math.max(longestMs, performance.now() - began);
      answered++;
    }
    const answer = await importing;
    expect([answer.status, answer.body]).toEqual([200, { imported: 100_000, replaced: 0 }]);
    expect(answered).toBeGreaterThan(10);
    // At least two seconds, so that a pause of the test process does not fail the test on a fast machine.
    expect(longestMs).toBeLessThan(Math.max(2_000, (performance.now() - begunAt) / 2));
  });
});
