import { readFile, readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import type { HttpResponse } from './harness/http';
import { aReceipt, uniqueId } from './harness/receipts';
import { anonymous, aRetailer, sharedPlatform } from './harness/shared-platform';

interface Delivery {
  readonly id: string;
  readonly channel: string;
  readonly address: string;
  readonly status: string;
  readonly reason: string | null;
  readonly attempts: number;
}

/** On a busy machine the conversion of a packet may have to be requested twice. */
const conversionMsMax = 100_000;

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer();
});

const post = async (overrides: Record<string, unknown> = {}, by: Client = retailer.api) => {
  const answer = await by.post('/receipts', aReceipt(overrides));
  expect(answer.status).toBe(201);
  return answer.body.id as string;
};
const send = (body: object, by: Client = retailer.api) => by.post('/receipts/_send', body);
const resolve = (body: object, by: Client = retailer.api) =>
  send({ channels: ['email'], resolve: true, ...body }, by);
const deliveriesOf = async (id: string, by: Client = retailer.api) => {
  const answer = await by.get(`/receipts/${id}/deliveries`);
  expect(answer.status).toBe(200);
  return answer.body.deliveries as Delivery[];
};
const expectError = (answer: HttpResponse, status: number, code: string, description?: string) => {
  expect([answer.status, answer.body.code]).toEqual([status, code]);
  if (description !== undefined) expect(answer.body.description).toBe(description);
};
const anAddress = () => `${uniqueId('mail')}@example.com`;
const mailFolder = () => path.join(sharedPlatform().dataDir, 'mail');

/** The deliveries of a receipt, once all of them have their final status. */
const settled = (id: string, count = 1, by: Client = retailer.api) =>
  until(`${count} deliveries`, async () => {
    const found = await deliveriesOf(id, by);
    return found.length === count && found.every(({ status }) => status !== 'pending') && found;
  });

/** An e-mail with decoded quoted-printable parts (RFC 2045, 6.7). */
async function mailOf(delivery: Delivery | undefined) {
  const mail = await readFile(path.join(mailFolder(), `${delivery?.id}.eml`), 'latin1');
  const bodyAt = mail.indexOf('\r\n\r\n');
  const octets = mail
    .slice(bodyAt)
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return mail.slice(0, bodyAt) + Buffer.from(octets, 'latin1').toString();
}

/** All e-mails to an address. */
async function mailsTo(address: string): Promise<string[]> {
  const names = (await readdir(mailFolder())).filter((name) => name.endsWith('.eml'));
  const mails = await Promise.all(names.map((name) => readFile(path.join(mailFolder(), name), 'utf8')));
  return mails.filter((mail) => mail.includes(`To: ${address}`));
}

async function withOptOut(tags: string[], extra: Record<string, unknown> = {}): Promise<string> {
  const identifier = uniqueId('consumer');
  const body = { identifier, properties: { 'opt-out': tags, ...extra } };
  expect((await retailer.api.post('/identifiers', body)).status).toBe(201);
  return identifier;
}

describe('POST /receipts/_send', () => {
  it('returns 202 with the id of the receipt and sends the e-mail', async () => {
    const address = anAddress();
    const id = await post({ properties: { email: address } });
    const answer = await send({ id, channels: ['email'] });
    expect([answer.status, answer.body]).toEqual([202, { id }]);
    const [delivery] = await settled(id);
    expect(delivery).toMatchObject({ channel: 'email', status: 'sent', reason: null, attempts: 1 });
    const mail = await mailOf(delivery);
    expect(mail).toContain(`To: ${address}\r\n`);
    expect(mail).toMatch(/^From: "[^"]+" <\S+@\S+>\r$/m);
    expect(mail).toMatch(/^Message-ID: </m);
    expect(mail).toMatch(/^Content-Type: multipart\/alternative/m);
    expect(mail.split('Red cotton shirt')).toHaveLength(3);
    expect(mail).toMatch(/<a href="https?:[^"]+\/r\/[^"]+"/);
    expect(await mailsTo(address)).toHaveLength(1);
  });

  it('finds the receipt by its transaction id', async () => {
    const transaction = uniqueId();
    const id = await post({ transaction_id: transaction, identifier: anAddress() });
    const answer = await send({ transaction_id: transaction, channels: ['email'] });
    expect([answer.status, answer.body]).toEqual([202, { id }]);
    await settled(id);
  });

  it('accepts a transaction id with commas', async () => {
    const transaction = `${uniqueId('a')},${uniqueId('b')}`;
    const id = await post({ transaction_id: transaction });
    expect((await resolve({ transaction_id: transaction })).body.id).toBe(id);
  });

  it('prefers an address in the request to that of the receipt', async () => {
    const [onReceipt, given] = [anAddress(), anAddress()];
    const id = await post({ properties: { email: onReceipt } });
    expect((await send({ id, channels: ['email'], email_address: given })).status).toBe(202);
    await settled(id);
    expect([(await mailsTo(given)).length, (await mailsTo(onReceipt)).length]).toEqual([1, 0]);
  });

  async function expectUnknown(named: object): Promise<void> {
    for (const extra of [{}, { resolve: true }]) {
      const answer = await send({ ...named, channels: ['email'], ...extra });
      expectError(answer, 422, 'receipt_not_found', 'receipt not found');
    }
  }

  it("returns 422 (receipt not found) for an unknown receipt and for another retailer's", async () => {
    const other = await aRetailer();
    const transaction = uniqueId();
    const id = await post({ transaction_id: transaction }, other.api);
    for (const named of [
      { id },
      { transaction_id: transaction },
      { id: '000000000000000000000000' },
      { id: 'x' },
      { transaction_id: 'nothing' },
    ]) {
      await expectUnknown(named);
    }
  });

  it.each(['sms', 'whatsapp', 'fax'])('returns 422 for %s while it is not available', async (channel) => {
    const id = await post({ identifier: anAddress() });
    const answer = await send({ id, channels: [channel], phone_number: '+33 6 12 34 56 78' });
    expectError(answer, 422, 'channel_not_available', `${channel} channel is not available`);
    const both = await send({ id, channels: ['email', channel] });
    expectError(both, 422, 'channel_not_available', `${channel} channel is not available`);
    expect(await deliveriesOf(id)).toEqual([]);
  });

  it('returns 422 for email without an address', async () => {
    const id = await post();
    const answer = await send({ id, channels: ['email'] });
    expectError(answer, 422, 'channel_not_available', 'email channel is not available');
  });

  it('returns 422 for email if the retailer has disabled it', async () => {
    const closed = await aRetailer({ channels: { email: { enabled: false } } });
    const id = await post({ identifier: anAddress() }, closed.api);
    const answer = await send({ id, channels: ['email'] }, closed.api);
    expectError(answer, 422, 'channel_not_available', 'email channel is not available');
  });

  it('returns 409 (receipt processing is pending) for an unconverted raw receipt', async () => {
    const mapping = {
      id: 'busy',
      match: { content_type: ['text/plain'], source_id: ['*'], store_reference: ['*'], till_id: ['*'] },
      decode: { type: 'text', codepage: 'utf8' },
      limits: { timeout_ms: 2_000 },
      transform: {
        language: 'jsonata',
        // Keeps the mapping busy briefly, but far below its time limit even on a much slower machine.
        expression: `{
          "transaction_id": lines[0] & $string($count($map([1..8000], function($n) { $n * 2 }))),
          "localtime": "2026-03-14T12:30:00", "store_reference": "1", "total": 1,
          "items": [{ "name": "Tea", "quantity": 1, "total": 1 }]
        }`,
      },
    };
    expect((await retailer.api.post('/pos/mappings', mapping)).status).toBe(201);
    expect((await retailer.api.post('/pos/mappings/busy/_activate', {})).status).toBe(200);
    const headers = { 'content-type': 'text/plain' };
    const postRaw = async () => {
      const body = Buffer.from(uniqueId('raw'));
      const raw = await retailer.api.call('/pos/receipts', { method: 'POST', body, headers });
      expect(raw.status).toBe(202);
      return String(raw.headers.location).slice('/receipts/'.length);
    };
    const asked = {
      send: (id: string) => send({ id, channels: ['email'], email_address: anAddress() }),
      resolve: (id: string) => resolve({ id, email_address: anAddress() }),
      deliveries: (id: string) => retailer.api.get(`/receipts/${id}/deliveries`),
    };
    for (const [what, ask] of Object.entries(asked)) {
      // The request may come after the packet was converted. In that case, it is retried for another packet.
      await until(
        `${what} of a pending receipt`,
        async () => {
          const answer = await ask(await postRaw());
          if (answer.status < 300) return false;
          expectError(answer, 409, 'processing_pending');
          if (what !== 'deliveries') expect(answer.body.description).toBe('receipt processing is pending');
          return true;
        },
        conversionMsMax,
      );
    }
    const id = await postRaw();
    const body = { id, channels: ['email'], email_address: anAddress() };
    await until('the conversion', async () => (await send(body)).status === 202, conversionMsMax);
    expect(await settled(id)).toHaveLength(1);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['neither id nor transaction_id', {}, '/id'],
    ['both id and transaction_id', { id: 'x', transaction_id: 'y' }, '/transaction_id'],
    ['a transaction id with an incomplete character', { transaction_id: 't\ud800' }, '/transaction_id'],
    ['missing channels', { id: 'x', channels: undefined }, '/channels'],
    ['an empty list of channels', { id: 'x', channels: [] }, '/channels'],
    ['channels that are a string', { id: 'x', channels: 'email' }, '/channels'],
    ['a channel that is a number', { id: 'x', channels: [1] }, '/channels/0'],
    ['an invalid address', { id: 'x', email_address: 'nobody' }, '/email_address'],
    ['two addresses', { id: 'x', email_address: 'a@b.example,c@d.example' }, '/email_address'],
    ['an address with a NUL', { id: 'x', email_address: 'a\u0000b@x.example' }, '/email_address'],
    ['a quoted address', { id: 'x', email_address: '"a b"@x.example' }, '/email_address'],
    ['an address that ends with a dot', { id: 'x', email_address: 'a@x.example.' }, '/email_address'],
    ['a domain with two dots', { id: 'x', email_address: 'a@x..example' }, '/email_address'],
    ['a domain of one label', { id: 'x', email_address: 'a@localhost' }, '/email_address'],
    ['an address with a line break', { id: 'x', email_address: 'a@b.example\r\nBcc: c@d' }, '/email_address'],
    ['an invalid phone number', { id: 'x', phone_number: 'call me' }, '/phone_number'],
    ['resolve that is a string', { id: 'x', resolve: 'true' }, '/resolve'],
    ['an unknown field', { id: 'x', colour: 'red' }, '/colour'],
  ])('returns 422 for %s', async (_what, overrides, fault) => {
    const answer = await send({ channels: ['email'], ...overrides });
    expectError(answer, 422, 'schema_validation_failed');
    expect(answer.body.errors.map(({ path: at }: { path: string }) => at)).toEqual([fault]);
  });

  it('sends once for the same Idempotency-Key', async () => {
    const address = anAddress();
    const id = await post({ properties: { email: address } });
    const key = { 'idempotency-key': uniqueId('key') };
    const body = { id, channels: ['email'] };
    const first = await retailer.api.post('/receipts/_send', body, key);
    const again = await retailer.api.post('/receipts/_send', body, key);
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([202, 202, 'true']);
    await settled(id);
    expect(await mailsTo(address)).toHaveLength(1);
  });

  it('sends at most five receipts to an address in ten minutes, then returns 429, but still resolves addresses', async () => {
    const id = await post();
    const email_address = anAddress();
    for (let n = 0; n < 5; n++)
      expect((await send({ id, channels: ['email'], email_address })).status).toBe(202);
    const refused = await send({ id, channels: ['email'], email_address: email_address.toUpperCase() });
    expectError(refused, 429, 'rate_limited');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(500);
    expect((await resolve({ id, email_address })).status).toBe(200);
    expect((await send({ id, channels: ['email'], email_address: anAddress() })).status).toBe(202);
    expect(await settled(id, 6)).toHaveLength(6);
  });

  it('does not find a deleted receipt or its deliveries', async () => {
    const id = await post({ identifier: anAddress() });
    expect((await retailer.api.call(`/receipts/${id}`, { method: 'DELETE' })).status).toBe(204);
    await expectUnknown({ id });
    expectError(await retailer.api.get(`/receipts/${id}/deliveries`), 410, 'receipt_deleted');
    expectError(await retailer.api.get(`/receipts/${id}/links`), 410, 'receipt_deleted');
  });

  it('sends once for a repeated channel', async () => {
    const id = await post({ identifier: anAddress() });
    expect((await send({ id, channels: ['email', 'email'] })).status).toBe(202);
    expect(await settled(id)).toHaveLength(1);
  });
});

describe('resolve', () => {
  it('sends nothing but returns channels and addresses', async () => {
    const address = anAddress();
    const id = await post({ properties: { email: address } });
    const answer = await resolve({ id });
    expect([answer.status, answer.body]).toEqual([
      200,
      { id, channels: ['email'], email_address: address, phone_number: null },
    ]);
    expect(await deliveriesOf(id)).toEqual([]);
  });

  it('never fails because a channel is unavailable', async () => {
    const id = await post();
    const answer = await resolve({ id, channels: ['sms', 'fax'] });
    expect([answer.status, answer.body]).toEqual([
      200,
      { id, channels: [], email_address: null, phone_number: null },
    ]);
  });

  it('prefers given addresses to stored addresses', async () => {
    const id = await post({ properties: { email: anAddress() } });
    const given = { email_address: 'other@example.com', phone_number: '+33 6 12 34 56 78' };
    expect((await resolve({ id, ...given })).body).toMatchObject(given);
  });

  it('uses the identifier itself if it is an address or a phone number', async () => {
    const address = anAddress();
    expect((await resolve({ id: await post({ identifier: address }) })).body).toMatchObject({
      email_address: address,
      phone_number: null,
    });
    expect((await resolve({ id: await post({ identifier: '+33612345678' }) })).body).toMatchObject({
      email_address: null,
      phone_number: '+33612345678',
    });
    // The number of a loyalty card is not a phone number.
    expect((await resolve({ id: await post({ identifier: '990000000001' }) })).body).toMatchObject({
      email_address: null,
      phone_number: null,
    });
  });

  it('uses the identifier’s stored data last', async () => {
    const [known, onReceipt] = [anAddress(), anAddress()];
    const identifier = await withOptOut([], { email: known, phone: '+44 20 7946 0000' });
    expect((await resolve({ id: await post({ identifier }) })).body).toMatchObject({
      email_address: known,
      phone_number: '+44 20 7946 0000',
      channels: ['email'],
    });
    const id = await post({ identifier, properties: { email: onReceipt } });
    expect((await resolve({ id })).body).toMatchObject({ email_address: onReceipt });
  });
});

describe('opt-out', () => {
  it('makes the channel unavailable unless the address is given', async () => {
    const identifier = await withOptOut(['receipts'], { email: anAddress() });
    const id = await post({ identifier });
    const refused = await send({ id, channels: ['email'] });
    expectError(refused, 422, 'channel_not_available', 'email channel is not available');
    expect((await resolve({ id })).body.channels).toEqual([]);
    const given = anAddress();
    expect((await resolve({ id, email_address: given })).body.channels).toEqual(['email']);
    expect((await send({ id, channels: ['email'], email_address: given })).status).toBe(202);
    await settled(id);
    expect(await mailsTo(given)).toHaveLength(1);
  });

  it('has no effect on other channels', async () => {
    const identifier = await withOptOut(['newsletter'], { email: anAddress() });
    expect((await resolve({ id: await post({ identifier }) })).body.channels).toEqual(['email']);
  });
});

describe('GET /receipts/{id}/deliveries', () => {
  it('lists sent messages, newest first, with masked addresses', async () => {
    const id = await post();
    for (const email_address of ['first@example.com', 'second@example.com']) {
      expect((await send({ id, channels: ['email'], email_address })).status).toBe(202);
    }
    const deliveries = await settled(id, 2);
    expect(deliveries.map(({ address }) => address)).toEqual(['s***@example.com', 'f***@example.com']);
    const stamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+00:00$/) as string;
    expect(deliveries[0]).toEqual({
      id: expect.any(String) as string,
      channel: 'email',
      address: 's***@example.com',
      status: 'sent',
      reason: null,
      attempts: 1,
      requested_timestamp: stamp,
      updated_timestamp: stamp,
    });
  });

  it('explains settings, opt-outs, address and availability in this order', async () => {
    const identifier = await withOptOut(['receipts']);
    const { body } = await retailer.api.get(`/receipts/${await post({ identifier })}/deliveries`);
    expect(body.deliveries).toEqual([]);
    const explain = body.explain as { channel: string; step: string; passed: boolean; detail: string }[];
    const steps = ['settings', 'opt_out', 'address', 'channel'];
    expect(explain.map(({ channel, step }) => `${channel} ${step}`)).toEqual(
      ['email', 'sms', 'whatsapp'].flatMap((channel) => steps.map((step) => `${channel} ${step}`)),
    );
    const email = explain.filter(({ channel }) => channel === 'email');
    expect(email.map(({ passed }) => passed)).toEqual([true, false, false, true]);
    expect(explain.find(({ channel }) => channel === 'sms')?.passed).toBe(false);
    expect(explain.every(({ detail }) => detail.length > 0)).toBe(true);
  });

  it("returns 404 for an unknown receipt and for another retailer's", async () => {
    const other = await aRetailer();
    for (const id of [await post({}, other.api), '000000000000000000000000', 'x']) {
      expectError(await retailer.api.get(`/receipts/${id}/deliveries`), 404, 'receipt_not_found');
    }
  });
});

describe('on arrival', () => {
  it('sends a receipt whose email_settings.send is true to properties.email', async () => {
    const address = anAddress();
    const id = await post({ properties: { email: address, email_settings: { send: true } } });
    const [delivery] = await settled(id);
    expect(delivery).toMatchObject({ status: 'sent', channel: 'email' });
    expect(await mailOf(delivery)).toContain(`To: ${address}`);
  });

  it('does not send a receipt without the setting, or with send: false', async () => {
    const silent = [
      await post({ properties: { email: anAddress() } }),
      await post({ properties: { email: anAddress(), email_settings: { send: false } } }),
    ];
    // A later receipt has been processed, so earlier receipts have also been processed.
    await settled(await post({ properties: { email: anAddress(), email_settings: { send: true } } }));
    for (const id of silent) expect(await deliveriesOf(id)).toEqual([]);
  });

  it('does not send a receipt that is blocked', async () => {
    const id = await post({
      properties: { email: anAddress(), email_settings: { send: true, block: true } },
    });
    expect((await settled(id))[0]).toMatchObject({ status: 'suppressed', reason: 'blocked', attempts: 0 });
  });

  it('does not send a receipt after an opt-out', async () => {
    const identifier = await withOptOut(['receipts']);
    const address = anAddress();
    const id = await post({ identifier, properties: { email: address, email_settings: { send: true } } });
    expect((await settled(id))[0]).toMatchObject({ status: 'suppressed', reason: 'opted_out' });
    expect(await mailsTo(address)).toEqual([]);
  });

  describe('under auto_send', () => {
    let sending: TestRetailer;
    beforeAll(async () => {
      sending = await aRetailer({
        auto_send: true,
        channels: { email: { from: 'shop@demo.example', reply_to: 'help@demo.example' } },
      });
    });

    it("sends every receipt with an address from the retailer's address", async () => {
      const address = anAddress();
      const id = await post({ identifier: address }, sending.api);
      const [delivery] = await settled(id, 1, sending.api);
      const mail = await mailOf(delivery);
      expect(mail).toContain(`To: ${address}`);
      expect(mail).toMatch(/^From: .*<shop@demo\.example>\r$/m);
      expect(mail).toContain('Reply-To: help@demo.example');
    });

    it('does not send receipts that opt out, are blocked or have no address', async () => {
      const no = await post(
        { identifier: anAddress(), properties: { email_settings: { send: false } } },
        sending.api,
      );
      const nobody = await post({}, sending.api);
      const blocked = await post(
        { identifier: anAddress(), properties: { email_settings: { block: true } } },
        sending.api,
      );
      expect((await settled(blocked, 1, sending.api))[0]).toMatchObject({ status: 'suppressed' });
      await settled(await post({ identifier: anAddress() }, sending.api), 1, sending.api);
      for (const id of [no, nobody]) expect(await deliveriesOf(id, sending.api)).toEqual([]);
    });
  });
});

describe('the e-mail', () => {
  it('escapes text from the till', async () => {
    const id = await post({
      identifier: anAddress(),
      items: [{ name: '<script>alert(1)</script> & "co"', quantity: 1, total: 25.48 }],
    });
    await send({ id, channels: ['email'] });
    const [delivery] = await settled(id);
    const html = (await mailOf(delivery)).split('text/html')[1] ?? '';
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toContain('<script>');
  });
});

describe('the files of the e-mail', () => {
  // A PNG of one pixel.
  const logo = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const server = createServer((_request, response) => void response.end(logo));
  let brand: { readonly logo: string };
  beforeAll(async () => {
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    brand = { logo: `http://127.0.0.1:${(server.address() as AddressInfo).port}/logo.png` };
  });
  afterAll(() => new Promise((closed) => server.close(closed)));

  const sent = async (settings: object) => {
    const branded = await aRetailer({ ...settings, brand });
    const transaction = uniqueId('T');
    const id = await post({ identifier: anAddress(), transaction_id: transaction }, branded.api);
    await send({ id, channels: ['email'] }, branded.api);
    const [delivery] = await settled(id, 1, branded.api);
    return { mail: await mailOf(delivery), transaction };
  };

  it('are the PDF and the logo', async () => {
    const { mail, transaction } = await sent({});
    expect(mail).toContain('<img src="cid:logo"');
    expect(mail).toContain('Content-ID: <logo>');
    expect(mail).toContain(`filename=${transaction}.pdf`);
    const pdf = Buffer.from(/filename=\S+\.pdf\r\n\r\n([^-]+)/.exec(mail)?.[1] ?? '', 'base64').toString(
      'latin1',
    );
    expect(pdf).toMatch(/^%PDF-1\.7/);
    expect(pdf).toContain('/Subtype /Image');
  });

  it('do not include the PDF if the retailer does not attach it', async () => {
    const { mail } = await sent({ channels: { email: { attach_pdf: false } } });
    expect(mail).toContain('<img src="cid:logo"');
    expect(mail).not.toContain('application/pdf');
  });
});

describe('permissions to send', () => {
  it('require view.send_receipt, and view.get_receipt for the list', async () => {
    const id = await post({ identifier: anAddress() });
    const sender = await retailer.clientWith({ permissions: ['view.send_receipt'] });
    const reader = await retailer.clientWith({ permissions: ['view.get_receipt'] });
    expect((await send({ id, channels: ['email'] }, sender)).status).toBe(202);
    expectError(await send({ id, channels: ['email'] }, reader), 403, 'permission_denied');
    expect((await reader.get(`/receipts/${id}/deliveries`)).status).toBe(200);
    expectError(await sender.get(`/receipts/${id}/deliveries`), 403, 'permission_denied');
    const nobody = await anonymous();
    expectError(await send({ id, channels: ['email'] }, nobody), 401, 'unauthorized');
    expectError(await nobody.get(`/receipts/${id}/deliveries`), 401, 'unauthorized');
  });

  it('allow consumers to send and see only their own receipts', async () => {
    const mine = anAddress();
    const transaction = uniqueId();
    const theirs = await post({ identifier: anAddress(), transaction_id: transaction });
    const own = await post({ identifier: mine });
    const consumer = retailer.signed({ consumer: mine });
    expect((await send({ id: own, channels: ['email'] }, consumer)).status).toBe(202);
    await settled(own, 1, consumer);
    for (const named of [{ id: theirs }, { transaction_id: transaction }]) {
      const answer = await send({ ...named, channels: ['email'] }, consumer);
      expectError(answer, 422, 'receipt_not_found', 'receipt not found');
    }
    expectError(await consumer.get(`/receipts/${theirs}/deliveries`), 404, 'receipt_not_found');
  });

  it('do not allow consumers to send to an address that they wrote into the receipt', async () => {
    const card = uniqueId('card');
    const [own, stranger] = [anAddress(), anAddress()];
    const created = await retailer.api.post('/identifiers', { identifier: card, properties: {} });
    expect(created.status).toBe(201);
    const id = await post({ identifier: card });
    const consumer = retailer.signed({ consumer: card });
    const writeEmail = (by: Client, path: string, value: string) =>
      by.call(path, {
        method: 'PATCH',
        body: [{ op: 'add', path: '/properties/email', value }],
        headers: { 'content-type': 'application/json-patch+json' },
      });
    expect((await writeEmail(consumer, `/receipts/${id}`, stranger)).status).toBe(200);
    const body = { id, channels: ['email'] };
    expectError(await send(body, consumer), 422, 'channel_not_available');
    expectError(await send({ ...body, email_address: stranger }, consumer), 403, 'consumer_mismatch');
    expect((await send({ ...body, resolve: true }, consumer)).body.email_address).toBeNull();
    expect((await writeEmail(retailer.api, `/identifiers/${card}`, own)).status).toBe(204);
    expect((await send(body, consumer)).status).toBe(202);
    await settled(id, 1, consumer);
    expect([(await mailsTo(own)).length, (await mailsTo(stranger)).length]).toEqual([1, 0]);
    // The retailer itself may send to the address on the receipt.
    expect((await send({ ...body, resolve: true })).body.email_address).toBe(stranger);
  });

  it('do not allow consumers to send to an address that they wrote into a packet, or to create a packet for another consumer', async () => {
    const mapping = {
      id: uniqueId('mapping'),
      match: { content_type: ['*'], source_id: ['*'], store_reference: ['*'], till_id: ['*'] },
      decode: { type: 'json' },
      transform: {
        language: 'jsonata',
        expression: '$merge([doc, { "store_reference": "1" }])',
      },
    };
    expect((await retailer.api.post('/pos/mappings', mapping)).status).toBe(201);
    expect((await retailer.api.post(`/pos/mappings/${mapping.id}/_activate`, {})).status).toBe(200);
    const [mine, stranger] = [anAddress(), anAddress()];
    const packet = async (identifier: string) => {
      const properties = { email: stranger, email_settings: { send: true } };
      const answer = await retailer.signed({ consumer: mine }).call('/pos/receipts', {
        method: 'POST',
        body: JSON.stringify(aReceipt({ identifier, properties })),
        headers: {
          'content-type': 'application/json',
          'service-identifier': mine,
          'service-mapping': mapping.id,
        },
      });
      expect(answer.status).toBe(202);
      const id = (answer.headers.location as string).slice('/receipts/'.length);
      const end = async () => {
        const { status, body } = await retailer.api.get(`/pos/packets/${id}`);
        return status === 200 && body.status !== 'accepted' && { id, ...body };
      };
      return until('the end of the packet', end, conversionMsMax);
    };
    const own = await packet(mine);
    expect(own).toMatchObject({ status: 'converted' });
    await settled(own.id);
    expect([(await mailsTo(mine)).length, (await mailsTo(stranger)).length]).toEqual([1, 0]);
    expect(await packet(anAddress())).toMatchObject({
      status: 'failed',
      reason: 'invalid_receipt',
      errors: [{ code: 'consumer_mismatch' }],
    });
  });
});
