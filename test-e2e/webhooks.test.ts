import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import type { HttpResponse } from './harness/http';
import { aReceipt, uniqueId } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';
import { Webhook } from 'standardwebhooks';

interface Message {
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly answered: number;
}

let retailer: TestRetailer;
let url: string;
let status: number;
/** The status for a message, if it depends on the message. */
let statusOf: ((text: string) => number) | undefined;
const messages: Message[] = [];
const receiver = http.createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString();
    const answered = statusOf?.(text) ?? status;
    messages.push({ headers: request.headers as Record<string, string>, text, answered });
    response.writeHead(answered).end();
  });
});

beforeAll(async () => {
  retailer = await aRetailer();
  await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
beforeEach(() => {
  messages.length = 0;
  status = 204;
  statusOf = undefined;
});
afterAll(() => new Promise((closed) => receiver.close(closed)));

const create = async (body: object = {}) => {
  const answer = await retailer.api.post('/webhooks/endpoints', {
    url,
    event_types: ['receipt.created'],
    ...body,
  });
  expect(answer.status).toBe(201);
  return answer.body as { id: string; secret: string };
};
const post = async (overrides: Record<string, unknown> = {}) => {
  const answer = await retailer.api.post('/receipts', aReceipt(overrides));
  expect(answer.status).toBe(201);
  return answer.body.id as string;
};
const path = (id: string, rest = '') => `/webhooks/endpoints/${id}${rest}`;
const remove = (id: string) => retailer.api.call(path(id), { method: 'DELETE' });
const deliveries = async (id: string, query: Record<string, string> = {}) =>
  (await retailer.api.get(path(id, '/deliveries'), query)).body.deliveries as Record<string, unknown>[];
const come = (count: number) => until(`${count} messages`, () => Promise.resolve(messages.length >= count));
const expectError = (answer: HttpResponse, expected: number, code: string) =>
  expect([answer.status, answer.body.code]).toEqual([expected, code]);

describe('/webhooks/endpoints', () => {
  it('POST returns 201 with a Location and the secret, and GET omits the secret', async () => {
    const answer = await retailer.api.post('/webhooks/endpoints', { url });
    const { secret, ...shown } = answer.body;
    expect([answer.status, answer.headers.location]).toEqual([201, path(shown.id)]);
    expect(secret).toMatch(/^whsec_/);
    expect(shown).toMatchObject({ url, event_types: ['*'], payload: 'thin', enabled: true, filter: null });
    expect(shown.ordering).toBe('none');
    expect((await retailer.api.get(path(shown.id))).body).toEqual(shown);
    const list = (await retailer.api.get('/webhooks/endpoints')).body;
    expect(list.endpoints).toContainEqual(shown);
    expect((await remove(shown.id)).status).toBe(204);
    expectError(await retailer.api.get(path(shown.id)), 404, 'not_found');
    expectError(await remove(shown.id), 404, 'not_found');
  });

  it.each<[string, object, string]>([
    ['no URL', { url: undefined }, '/url'],
    ['an invalid URL', { url: 'shop' }, '/url'],
    ['another scheme', { url: 'ftp://shop.example/' }, '/url'],
    ['a user name in the URL', { url: 'https://user@shop.example/' }, '/url'],
    ['a password in the URL', { url: 'https://:pass@shop.example/' }, '/url'],
    ['a fragment', { url: 'https://shop.example/#a' }, '/url'],
    ['the port of a mail server', { url: 'https://shop.example:25/' }, '/url'],
    ['a private address', { url: 'https://10.0.0.1/' }, '/url'],
    ['a private address in hexadecimal', { url: 'https://0x0a000001/' }, '/url'],
    ['a private address in octal', { url: 'https://012.0.0.1/' }, '/url'],
    ['a private address within IPv6', { url: 'https://[::ffff:10.0.0.1]/' }, '/url'],
    ['the metadata service', { url: 'https://169.254.169.254/' }, '/url'],
    ['a URL of 3,000 characters', { url: `https://shop.example/${'a'.repeat(3000)}` }, '/url'],
    ['an unknown event type', { event_types: ['receipt.*', 'fax.sent'] }, '/event_types/1'],
    ['no event types', { event_types: [] }, '/event_types'],
    ['a filter with an unknown field', { filter: 'colour:red' }, '/filter'],
    ['a filter that is not a query', { filter: 'red' }, '/filter'],
    ['an unknown payload', { payload: 'medium' }, '/payload'],
    ['an unknown ordering', { ordering: 'total' }, '/ordering'],
    ['enabled that is a string', { enabled: 'true' }, '/enabled'],
    ['an unknown field', { secret: 'whsec_x' }, '/secret'],
  ])('POST returns 422 for %s', async (_what, overrides, fault) => {
    const answer = await retailer.api.post('/webhooks/endpoints', { url, ...overrides });
    expectError(answer, 422, 'schema_validation_failed');
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toEqual([fault]);
  });

  it('PATCH accepts an object and JSON Patch', async () => {
    const { id } = await create();
    const json = { 'content-type': 'application/json' };
    const changed = await retailer.api.call(path(id), {
      method: 'PATCH',
      body: { enabled: false },
      headers: json,
    });
    expect([changed.status, changed.body.enabled]).toEqual([200, false]);
    const patched = await retailer.api.patch(path(id), [
      { op: 'replace', path: '/description', value: 'till' },
    ]);
    expect([patched.status, patched.body.description]).toEqual([200, 'till']);
    expectError(
      await retailer.api.patch(path(id), [{ op: 'replace', path: '/id', value: 'x' }]),
      422,
      'field_not_modifiable',
    );
    const stale = { 'if-match': String(changed.headers.etag) };
    expectError(await retailer.api.patch(path(id), [], stale), 412, 'precondition_failed');
    await remove(id);
  });

  it('requires the permission manage_webhook, and rejects a signature with a consumer', async () => {
    const weak = await retailer.clientWith({ permissions: ['view.get_receipt'] });
    const consumer = retailer.signed({ consumer: 'jane' });
    for (const target of ['/webhooks/endpoints', '/webhooks/event_types']) {
      expectError(await weak.get(target), 403, 'permission_denied');
      expectError(await consumer.get(target), 403, 'consumer_mismatch');
      expectError(await (await anonymous()).get(target), 401, 'unauthorized');
    }
  });

  it("returns 404 for another retailer's endpoint", async () => {
    const { id } = await create();
    const other = (await aRetailer()).api;
    expectError(await other.get(path(id)), 404, 'not_found');
    expectError(await other.post(path(id, '/_rotate_secret'), undefined), 404, 'not_found');
    expectError(await other.call(path(id), { method: 'DELETE' }), 404, 'not_found');
    await remove(id);
  });
});

describe('webhooks', () => {
  it('a receipt posted after the endpoint was created is delivered to it, signed', async () => {
    const { id, secret } = await create({ payload: 'full' });
    const receipt = await post({ identifier: 'jane@example.com' });
    await come(1);
    const [{ headers, text }] = messages as [Message];
    expect(new Webhook(secret).verify(text, headers)).toMatchObject({
      type: 'receipt.created',
      data: { id: receipt, receipt: { id: receipt, identifier: 'jane@example.com' } },
    });
    await until(
      'the delivery is recorded',
      async () => (await deliveries(id))[0]?.['status'] === 'succeeded',
    );
    await remove(id);
  });

  it('a filter selects by failed checks and by voids', async () => {
    const event_types = ['receipt.created', 'receipt.voided'];
    const failing = await create({ filter: 'checks:payments_total', event_types });
    const voided = await create({ filter: 'voided:*', event_types });
    const [right, wrong] = [await post(), await post({ payments: [{ method: 'card', amount: 1 }] })];
    expect((await retailer.api.post(`/receipts/${right}/_void`, {})).status).toBe(200);
    const seen = () => messages.map(({ text }) => JSON.parse(text) as { type: string; data: { id: string } });
    await come(2);
    const last = await post({ payments: [{ method: 'card', amount: 1 }] });
    await until('the last event', () => Promise.resolve(seen().some(({ data }) => data.id === last)));
    expect(
      seen()
        .map(({ type, data }) => `${type} ${data.id}`)
        .sort(),
    ).toEqual([`receipt.created ${wrong}`, `receipt.created ${last}`, `receipt.voided ${right}`].sort());
    for (const { id } of [failing, voided]) await remove(id);
  });

  it('a filter selects by the receipt', async () => {
    const { id } = await create({ filter: '+items.name:umbrella' });
    await post();
    const wanted = await post({ items: [{ name: 'Red umbrella', quantity: 1, total: 9 }], total: 9 });
    await come(1);
    expect(messages.map(({ text }) => JSON.parse(text).data.id)).toEqual([wanted]);
    await remove(id);
  });

  it("an ordered endpoint receives a subject's events in order", async () => {
    const { id } = await create({ event_types: ['receipt.*'], ordering: 'subject' });
    // Only the creation of the first receipt is rejected; all other events are accepted immediately.
    let failing = '';
    statusOf = (text) => (text.includes('receipt.created') && text.includes(failing) ? 500 : 204);
    failing = await post();
    const patched = await retailer.api.call(`/receipts/${failing}`, {
      method: 'PATCH',
      body: [{ op: 'add', path: '/properties/note', value: 'later' }],
      headers: { 'content-type': 'application/json-patch+json' },
    });
    expect(patched.status).toBe(200);
    const byReason = async (reason: string) =>
      (await deliveries(id)).filter((delivery) => delivery['reason'] === reason);
    await until('the update waits', async () => (await byReason('earlier_event_pending')).length === 1);
    const other = await post();
    await until("the other receipt's events continue", () =>
      Promise.resolve(messages.some(({ text }) => text.includes(other))),
    );
    expect(messages.some(({ text }) => text.includes('receipt.updated'))).toBe(false);
    statusOf = undefined;
    const [stopped] = await byReason('status');
    if (stopped) await retailer.api.post(`/webhooks/deliveries/${String(stopped['id'])}/_replay`, undefined);
    const updated = () => messages.findIndex(({ text }) => text.includes('receipt.updated'));
    await until('the update has arrived', () => Promise.resolve(updated() >= 0));
    const taken = messages.findIndex(({ text, answered }) => text.includes(failing) && answered === 204);
    expect(messages[taken]?.text).toContain('receipt.created');
    expect(taken).toBeLessThan(updated());
    await remove(id);
  });

  it('a failed delivery is replayed, and missed events are recovered', async () => {
    const { id } = await create();
    status = 500;
    const since = new Date(Date.now() - 1_000).toISOString();
    await post();
    // An attempt is counted when it starts. The reason for its failure is known when it ends.
    await until(
      'the delivery has failed once',
      async () => (await deliveries(id))[0]?.['reason'] === 'status',
    );
    status = 200;
    const [failed] = await deliveries(id, { type: 'receipt.*' });
    const replay = await retailer.api.post(
      `/webhooks/deliveries/${String(failed?.['id'])}/_replay`,
      undefined,
    );
    expect([replay.status, replay.body]).toEqual([202, { id: failed?.['id'] }]);
    await until(
      'the delivery has succeeded',
      async () => (await deliveries(id))[0]?.['status'] === 'succeeded',
    );
    const succeeded = await deliveries(id, { status: 'succeeded', type: 'receipt.*' });
    expect(succeeded.map((delivery) => delivery['id'])).toEqual([failed?.['id']]);
    const json = { 'content-type': 'application/json' };
    const enable = (enabled: boolean) =>
      retailer.api.call(path(id), { method: 'PATCH', body: { enabled }, headers: json });
    await enable(false);
    expectError(await retailer.api.post(path(id, '/_recover'), { since }), 409, 'endpoint_disabled');
    const missed = await post();
    await retailer.api.get('/webhooks/endpoints');
    messages.length = 0;
    await until('the missed event is recovered', async () => {
      await enable(true);
      expect((await retailer.api.post(path(id, '/_recover'), { since })).status).toBe(202);
      return messages.some(({ text }) => text.includes(missed));
    });
    expectError(
      await retailer.api.post(path(id, '/_recover'), { since: 'yesterday' }),
      422,
      'schema_validation_failed',
    );
    expectError(await retailer.api.post('/webhooks/deliveries/x/_replay', undefined), 404, 'not_found');
    await remove(id);
  });

  it('a delivery is not replayed during an attempt', async () => {
    const held: http.ServerResponse[] = [];
    let isHolding = true;
    const slow = http.createServer((request, response) => {
      request.resume();
      if (isHolding) held.push(response);
      else response.writeHead(204).end();
    });
    await new Promise<void>((ready) => slow.listen(0, '127.0.0.1', ready));
    const { id } = await create({ url: `http://127.0.0.1:${(slow.address() as AddressInfo).port}/` });
    await post();
    await until('the event is being posted', () => Promise.resolve(held.length > 0));
    const [sent] = await deliveries(id);
    const replay = () => retailer.api.post(`/webhooks/deliveries/${String(sent?.['id'])}/_replay`, undefined);
    // If the attempt has timed out in the meantime, this request starts a new attempt, and the next request is
    // rejected.
    const refused = await until('the replay is rejected', async () => {
      const answer = await replay();
      return answer.status === 409 && answer;
    });
    expect(refused.body.code).toBe('delivery_in_progress');
    isHolding = false;
    for (const response of held) response.writeHead(204).end();
    await until(
      'the delivery has succeeded',
      async () => (await deliveries(id))[0]?.['status'] === 'succeeded',
    );
    expect((await replay()).status).toBe(202);
    await remove(id);
    slow.closeAllConnections();
    await new Promise((closed) => slow.close(closed));
  });

  it('signs with both the new and the old secret after a rotation, and posts a test immediately', async () => {
    const { id, secret } = await create();
    const rotated = await retailer.api.post(path(id, '/_rotate_secret'), undefined);
    expect([rotated.status, rotated.body]).toEqual([200, { secret: expect.stringMatching(/^whsec_/) }]);
    const test = await retailer.api.post(path(id, '/_test'), undefined);
    expect(test.status).toBe(202);
    await come(1);
    const [{ headers, text }] = messages as [Message];
    for (const known of [secret, rotated.body.secret]) {
      expect(new Webhook(known).verify(text, headers)).toMatchObject({ type: 'webhook.test' });
    }
    await until('the delivery is recorded', async () => (await deliveries(id))[0]?.['id'] === test.body.id);
    await remove(id);
  });

  it('an endpoint that returns 410 is disabled, and other endpoints still receive the event', async () => {
    const watching = await create({ event_types: ['webhook.*'] });
    status = 410;
    const gone = await create({ description: uniqueId('gone') });
    await post();
    await until(
      'the endpoint is disabled',
      async () => (await retailer.api.get(path(gone.id))).body.disabled_reason === 'gone',
    );
    status = 204;
    await until('the event was published', () =>
      Promise.resolve(
        messages.some(({ text }) => text.includes('webhook.endpoint_disabled') && text.includes(gone.id)),
      ),
    );
    await Promise.all([remove(watching.id), remove(gone.id)]);
  });
});

it('GET /webhooks/event_types lists the event types', async () => {
  const answer = await retailer.api.get('/webhooks/event_types');
  expect(answer.status).toBe(200);
  expect(answer.body.event_types.map(({ type }: { type: string }) => type)).toEqual(
    expect.arrayContaining([
      'receipt.created',
      'pos_receipt.failed',
      'delivery.sent',
      'webhook.endpoint_disabled',
    ]),
  );
});
