import { spawnSync } from 'node:child_process';
import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import { PortalVisitor, textOf } from './harness/portal-visitor';
import { aReceipt, uniqueId } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;
let anybody: Client;

beforeAll(async () => {
  retailer = await aRetailer({ response_links: true, locale: 'en_GB' });
  await retailer.api.post('/stores', {
    reference: 7,
    name: 'Opera',
    country: 'FRA',
    address: ['1 rue Scribe'],
    city: 'Paris',
    vatno: 'FR-STORE-VAT',
    phone: '+33100000000',
  });
  anybody = await anonymous();
});

interface Gift {
  readonly gift_id: string;
  readonly webview: { readonly href: string; readonly qrcode: { readonly href: string } };
  readonly pdf: { readonly href: string };
}

const pathOf = (href: string) => new URL(href).pathname;

/** Every value that must not be on a gift receipt is one that occurs nowhere else. */
const sale = () =>
  aReceipt({
    transaction_id: uniqueId('SECRETNUMBER'),
    store_reference: 7,
    localtime: '2026-03-14T09:41:07',
    identifier: 'secret-person@example.com',
    till_uuid: 'SECRETTILL',
    items: [
      {
        name: 'Red scarf',
        'name:fr': 'Écharpe rouge',
        quantity: 2,
        total: 71.38,
        unit_price: 35.69,
        taxes: [{ name: 'secrettax', rate: 17.3, amount: 8.41 }],
        discounts: [{ name: 'SECRETDISCOUNT', amount: -6.13 }],
        properties: { details: 'SECRETDETAILS 71.38' },
      },
      { name: 'Blue socks', quantity: 1, total: 13.27, serial: 'SECRETSERIAL' },
      { name: 'Old hat', quantity: -1, total: -5.5 },
    ],
    total: 79.15,
    net: 61.93,
    taxes: [{ name: 'secrettax', rate: 17.3, amount: 8.41 }],
    charges: [{ name: 'SECRETCHARGE', amount: 9.87 }],
    payments: [{ method: 'card', amount: 79.15, number: '4711', brand: 'SECRETBRAND' }],
    fiscal: { regime: 'other', qr: 'SECRETFISCAL', texts: ['SECRETTEXT'], device_id: 'SECRETDEVICE' },
    properties: { email: 'secret-mail@example.com', salesperson: 'SECRETSELLER' },
  });

/** Amounts, rates, taxes, payments, the identifier, fiscal data and numbers of the sale, in any of their forms. */
const secret =
  /SECRET|71[.,]38|35[.,]69|13[.,]27|5[.,]50|79[.,]15|61[.,]93|17[.,]3|8[.,]41|6[.,]13|9[.,]87|4711|€|EUR|FR-STORE-VAT|Old hat/i;

const posted = async (overrides: Record<string, unknown> = {}) => {
  const answer = await retailer.api.post('/receipts', { ...sale(), ...overrides });
  expect(answer.status).toBe(201);
  return answer.body.id as string;
};
const giving = (id: string, body?: unknown, client: Client = retailer.api, headers = {}) =>
  client.post(`/receipts/${id}/_gift`, body, headers);
const given = async (id: string, body?: unknown): Promise<Gift> => {
  const answer = await giving(id, body);
  expect(answer.status).toBe(201);
  return answer.body as Gift;
};
const returnable = (gift_id: string, client: Client = retailer.api, query = {}) =>
  client.get('/receipts/returnable', { gift_id, ...query });

const isPdftotextInstalled = spawnSync('pdftotext', ['-v']).error === undefined;

it('answers with a returns code and links that need no credential', async () => {
  const gift = await given(await posted());
  expect(gift).toEqual({
    gift_id: expect.stringMatching(/^\d{34}$/) as string,
    webview: {
      href: expect.stringMatching(/^https?:\/\/.+\/gift\/[A-Za-z0-9_-]{40,}$/) as string,
      qrcode: { href: `${gift.webview.href}/qr` },
    },
    pdf: { href: `${gift.webview.href}/pdf` },
  });
  const qr = await anybody.get(pathOf(gift.webview.qrcode.href), {}, { accept: 'image/svg+xml' });
  expect([qr.status, qr.headers['content-type']]).toEqual([200, 'image/svg+xml']);
});

it('shows store, date, chosen items, message, code and day, and nothing of the sale besides', async () => {
  const id = await posted();
  const body = { items: [0], message: 'Happy\nbirthday <3', until: '2026-04-30' };
  const gift = await given(id, body);
  const page = await anybody.get(pathOf(gift.webview.href));
  const html = page.bytes.toString();
  for (const text of [
    'Gift receipt',
    'Opera',
    '1 rue Scribe',
    'Paris',
    '14 March 2026',
    'Red scarf',
    'Happy',
  ])
    expect(html).toContain(text);
  for (const text of ['birthday &lt;3', '30 April 2026', gift.gift_id, '<bdi>2</bdi>', '<svg'])
    expect(html).toContain(text);
  expect(html).not.toContain('Blue socks');
  expect(html).not.toContain('ld+json');
  for (const lang of ['de', 'fr', 'ar', 'ja']) {
    const translated = await anybody.get(pathOf(gift.webview.href), { lang });
    expect(translated.headers['content-language']).toMatch(lang);
    expect(`${translated.bytes.toString()}${JSON.stringify(translated.headers)}`).not.toMatch(secret);
  }
  expect((await anybody.get(pathOf(gift.webview.href), { lang: 'fr' })).bytes.toString()).toContain(
    'Écharpe rouge',
  );
  const all = `${html}${JSON.stringify(page.headers)}`;
  expect(all).not.toMatch(secret);
  expect(all).not.toContain(id);
  expect(page.headers).toMatchObject({
    'x-robots-tag': 'noindex, nofollow',
    'referrer-policy': 'no-referrer',
    'cache-control': 'private, no-cache',
  });
  for (const format of ['a4', 'roll']) {
    const pdf = await anybody.get(pathOf(gift.pdf.href), { format });
    expect([pdf.status, pdf.headers['content-type']]).toEqual([200, 'application/pdf']);
    expect(pdf.headers['content-disposition']).toBe('inline; filename="gift-receipt.pdf"');
    expect(JSON.stringify(pdf.headers)).not.toMatch(secret);
    expect(pdf.bytes.toString('latin1')).not.toMatch(/SECRET|EmbeddedFile/i);
    if (!isPdftotextInstalled) continue;
    const { stdout } = spawnSync('pdftotext', ['-', '-'], { input: pdf.bytes, encoding: 'utf8' });
    for (const text of ['Gift receipt', 'Red scarf', 'Happy', '30 April 2026', gift.gift_id])
      expect(stdout).toContain(text);
    expect(stdout).not.toMatch(secret);
  }
});

it('chooses all items by default, but no returned ones', async () => {
  const gift = await given(await posted());
  const html = (await anybody.get(pathOf(gift.webview.href))).bytes.toString();
  expect(html).toContain('Red scarf');
  expect(html).toContain('Blue socks');
  expect(html).not.toMatch(secret);
});

it.each(['.json', '.csv', '.ubl', '.ekabs', '/proof', '/pass', '/attachments/a', '/json'])(
  'has no form %s of the sale',
  async (form) => {
    const gift = await given(await posted());
    const own = pathOf(gift.webview.href);
    for (const path of [own, own.replace('/gift/', '/r/')]) {
      expect((await anybody.get(`${path}${form}`)).status).toBe(404);
    }
    expect((await anybody.get(own.replace('/gift/', '/r/'))).status).toBe(404);
  },
);

it('does not open the page of a receipt with the path of a gift receipt', async () => {
  const { body } = await retailer.api.post('/receipts', sale());
  const link = pathOf(body._links.webview.href as string).replace('/r/', '/gift/');
  const refused = await anybody.get(link);
  expect([refused.status, (await anybody.get(`${link}/pdf`)).status]).toEqual([404, 404]);
});

it.each([
  [{ items: [] }, '/items'],
  [{ items: [3] }, '/items/0'],
  [{ items: [0, 1, 0] }, '/items/2'],
  [{ items: [-1] }, '/items/0'],
  [{ items: [0.5] }, '/items/0'],
  [{ items: 'all' }, '/items'],
  [{ message: '' }, '/message'],
  [{ message: 'x'.repeat(501) }, '/message'],
  [{ until: '2026-02-30' }, '/until'],
  [{ until: '2026-02-28T00:00:00Z' }, '/until'],
  [{ amount: 1 }, '/amount'],
])('rejects %j', async (body, at) => {
  const answer = await giving(await posted(), body);
  expect([answer.status, answer.body.code]).toEqual([422, 'schema_validation_failed']);
  expect(answer.body.errors).toMatchObject([{ path: at }]);
});

it('gives the returns desk the returnable part of the chosen items', async () => {
  const id = await posted();
  const gift = await given(id, { items: [1, 0] });
  const only = await given(id, { items: [1] });
  const whole = (await retailer.api.get(`/receipts/${id}/returnable`)).body;
  expect((await returnable(gift.gift_id)).body).toEqual(whole);
  expect(whole.items).toHaveLength(2);
  const back = {
    total: -35.69,
    payments: [],
    items: [{ name: 'Red scarf', quantity: -1, total: -35.69 }],
    related: [{ type: 'return', id }],
  };
  await retailer.api.post('/receipts', aReceipt(back));
  expect((await returnable(gift.gift_id)).body).toMatchObject({
    receipt_id: id,
    items: [
      { index: 0, returned_quantity: 1, returnable_quantity: 1 },
      { index: 1, returned_quantity: 0 },
    ],
  });
  expect((await returnable(only.gift_id)).body.items).toEqual([whole.items[1]]);
});

it('publishes receipt.gift_created without the message', async () => {
  const id = await posted();
  const from = (await retailer.api.get('/events?types=receipt.gift_created')).body._links.next.href as string;
  const gift = await given(id, { items: [1], message: 'a private word', until: '2026-04-30' });
  let events: { subject: string }[] = [];
  await until('the event', async () => {
    events = (await retailer.api.get(from)).body.events as typeof events;
    return events.some(({ subject }) => subject === id);
  });
  expect(events.filter(({ subject }) => subject === id)).toMatchObject([
    {
      type: 'receipt.gift_created',
      data: {
        id,
        identifier: 'secret-person@example.com',
        gift_id: gift.gift_id,
        items: [1],
        until: '2026-04-30',
      },
    },
  ]);
  expect(JSON.stringify(events)).not.toContain('a private word');
});

describe.each([
  ['voiding', async (id: string) => retailer.api.post(`/receipts/${id}/_void`, {})],
  ['deletion', async (id: string) => retailer.api.call(`/receipts/${id}`, { method: 'DELETE' })],
  [
    'erasure',
    async (_id: string, identifier: string) => retailer.api.post(`/identifiers/${identifier}/_erase`, {}),
  ],
])('%s', (_, end) => {
  it('ends the gift receipt with 410', async () => {
    const identifier = uniqueId('person');
    const id = await posted({ identifier });
    const gift = await given(id, { message: 'from me' });
    await until(
      'the consumer to be known',
      async () => (await retailer.api.get(`/identifiers/${identifier}`)).status === 200,
    );
    // The PDF is kept for the next reader, but must not outlive the receipt.
    expect((await anybody.get(pathOf(gift.pdf.href))).status).toBe(200);
    expect([200, 202, 204]).toContain((await end(id, identifier)).status);
    await until(
      'the end of the gift receipt',
      async () => (await anybody.get(pathOf(gift.webview.href))).status === 410,
      60_000,
    );
    for (const href of [gift.pdf.href, gift.webview.qrcode.href]) {
      expect((await anybody.get(pathOf(href))).status).toBe(410);
    }
    const page = await anybody.get(pathOf(gift.webview.href), {}, { accept: 'text/html' });
    expect(page.bytes.toString()).toContain('This gift receipt is no longer valid.');
    const desk = await returnable(gift.gift_id);
    expect([desk.status, desk.body.code]).toEqual([410, 'gift_ended']);
  });
});

it('cannot be made from a voided, deleted, unknown or foreign receipt', async () => {
  const other = await aRetailer();
  const [voided, deleted, foreign] = [await posted(), await posted(), await posted()];
  await retailer.api.post(`/receipts/${voided}/_void`, {});
  await retailer.api.call(`/receipts/${deleted}`, { method: 'DELETE' });
  const refusals = [
    await giving(voided),
    await giving(deleted),
    await giving('0'.repeat(24)),
    await giving(foreign, {}, other.api),
  ];
  expect(refusals.map(({ status, body }) => [status, body.code])).toEqual([
    [422, 'receipt_voided'],
    [410, 'receipt_deleted'],
    [404, 'receipt_not_found'],
    [404, 'receipt_not_found'],
  ]);
});

it('needs its permission, and does not cross retailers or consumers', async () => {
  const id = await posted({ identifier: 'ann@example.com' });
  const reader = await retailer.clientWith({ permissions: ['view.get_receipt'] });
  const giver = await retailer.clientWith({ permissions: ['view.post_gift_receipt'] });
  expect((await giving(id, {}, reader)).body.code).toBe('permission_denied');
  const made = await giving(id, {}, giver);
  expect(made.status).toBe(201);
  const { gift_id } = made.body as Gift;
  expect((await returnable(gift_id, giver)).status).toBe(403);
  expect((await returnable(gift_id, reader)).status).toBe(200);
  const joe = retailer.signed({ consumer: 'joe@example.com' });
  const ann = retailer.signed({ consumer: 'ann@example.com' });
  expect([(await giving(id, {}, joe)).status, (await giving(id, {}, ann)).status]).toEqual([404, 201]);
  expect([(await returnable(gift_id, joe)).status, (await returnable(gift_id, ann)).status]).toEqual([
    404, 200,
  ]);
  expect((await returnable(gift_id, retailer.api, { consumer: 'joe@example.com' })).status).toBe(404);
  const other = await aRetailer();
  for (const code of [gift_id, gift_id.slice(0, -1), 'x', '9'.repeat(34)]) {
    const answer = await returnable(code, code === gift_id ? other.api : retailer.api);
    expect([answer.status, answer.body.code]).toEqual([404, 'gift_not_found']);
  }
});

it('creates one gift receipt for repeated requests with a key, and leaves the receipt as it is', async () => {
  const id = await posted();
  const before = (await retailer.api.get(`/receipts/${id}`)).body;
  const key = { 'idempotency-key': uniqueId('gift') };
  const [first, again] = [await giving(id, {}, retailer.api, key), await giving(id, {}, retailer.api, key)];
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
  expect(again.body).toEqual(first.body);
  expect((await given(id)).gift_id).not.toBe((first.body as Gift).gift_id);
  expect((await retailer.api.get(`/receipts/${id}`)).body).toEqual(before);
});

it('is a button in the portal, for groups that may create it', async () => {
  const shop = await aRetailer({
    portal_groups: ['givers', 'readers'],
    portal_permissions: {
      givers: ['view.get_receipt', 'view.post_gift_receipt'],
      readers: ['view.get_receipt'],
    },
  });
  const { body } = await shop.api.post('/receipts', aReceipt());
  const page = `/portal/receipts/${body.id as string}`;
  const portal = new PortalVisitor();
  const [giver, reader] = [await portal.user(shop.api, 'givers'), await portal.user(shop.api, 'readers')];
  expect(textOf(await portal.get(page, giver))).toContain(`action="${page}/gift"`);
  expect(textOf(await portal.get(page, reader))).not.toContain(`action="${page}/gift"`);
  const made = await portal.submit(`${page}/gift`, { csrf: giver.csrf }, giver.cookie);
  expect(made.status).toBe(303);
  const shown = await anybody.get(made.headers.location ?? '');
  expect([shown.status, textOf(shown).includes('Red cotton shirt')]).toEqual([200, true]);
  const refused = await portal.submit(`${page}/gift`, { csrf: reader.csrf }, reader.cookie);
  expect(refused.status).toBe(403);
  await shop.api.post(`/receipts/${body.id as string}/_void`, {});
  expect(textOf(await portal.get(page, giver))).not.toContain(`action="${page}/gift"`);
});
