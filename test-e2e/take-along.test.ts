import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Client, TestRetailer } from './harness/client';
import { aReceipt } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';
import { invoicingStore, postRated, ratedItems as items } from './harness/take-along';

let retailer: TestRetailer;
let anybody: Client;

beforeAll(async () => {
  anybody = await anonymous();
  retailer = await aRetailer({ response_links: true, timezone: 'Europe/Paris' });
  expect((await retailer.api.post('/stores', invoicingStore)).status).toBe(201);
  const bare = { name: 'Kiosk', country: 'DEU', external_reference: 'bare', address: [''] };
  expect((await retailer.api.post('/stores', bare)).status).toBe(201);
});

const posted = (overrides: Record<string, unknown> = {}) => postRated(retailer, overrides);
const fileOf = async (id: string, format: string) => retailer.api.get(`/receipts/${id}`, { format });
const textOf = ({ bytes }: { bytes: Buffer }) => bytes.toString('utf8');
const formats = ['json', 'csv', 'ubl', 'ekabs'];

describe('the formats of a receipt', () => {
  it('are the same by link and by API', async () => {
    const { id, page } = await posted();
    for (const format of formats) {
      const byLink = await anybody.get(`${page}.${format}`);
      const byApi = await fileOf(id, format);
      expect([format, byLink.status, byApi.status]).toEqual([format, 200, 200]);
      expect(textOf(byLink)).toBe(textOf(byApi));
    }
  });

  it('are files named after store and date that nobody indexes or caches', async () => {
    const { id, page } = await posted();
    const ends: Record<string, [string, string]> = {
      json: ['json', 'application/json'],
      csv: ['csv', 'text/csv; charset=utf-8; header=present'],
      ubl: ['xml', 'application/xml'],
      ekabs: ['ekabs.json', 'application/json'],
    };
    for (const format of formats) {
      const [extension, type] = ends[format] ?? [];
      const link = await anybody.get(`${page}.${format}`);
      const api = await fileOf(id, format);
      for (const { headers } of [link, api]) {
        expect(headers['content-type']).toBe(type);
        expect(headers['content-disposition']).toBe(
          `attachment; filename="Caf_-Lumi_re-2026-03-14.${extension}"; filename*=UTF-8''Caf%C3%A9-Lumi%C3%A8re-2026-03-14.${extension}`,
        );
        expect(headers['x-robots-tag']).toBe('noindex, nofollow');
      }
      expect(link.headers['cache-control']).toBe('private, no-cache');
      expect(link.headers['referrer-policy']).toBe('no-referrer');
      expect(api.headers['cache-control']).toBe('no-store');
    }
  });

  it('leave the page as it is', async () => {
    const { page } = await posted();
    const status = await anybody.get(page, undefined, { accept: 'application/json' });
    expect(status.body).toEqual({ status: 'ready' });
    const html = await anybody.get(page, { lang: 'de' }, { accept: 'text/html' });
    expect(textOf(html)).toContain('Diesen Beleg mitnehmen');
    for (const format of formats) expect(textOf(html)).toContain(`${page}.${format}"`);
  });

  it('are there by name only: an unknown one is 404 by link, and 400 by API', async () => {
    const { id, page } = await posted();
    expect((await anybody.get(`${page}.pdf`)).status).toBe(404);
    expect((await fileOf(id, 'pdf')).status).toBe(400);
    expect((await retailer.api.get(`/receipts/${id}`, undefined, { accept: 'text/csv' })).status).toBe(406);
    const named = await retailer.api.get(`/receipts/${id}`, { format: 'csv' }, { accept: 'text/csv' });
    expect(named.status).toBe(200);
  });

  it('end with the receipt and with its link', async () => {
    const { id, page } = await posted();
    expect((await retailer.api.post(`/receipts/${id}/links/_revoke`, {})).status).toBeLessThan(300);
    for (const format of formats) expect((await anybody.get(`${page}.${format}`)).status).toBe(404);
    const deleted = await posted();
    await retailer.api.call(`/receipts/${deleted.id}`, { method: 'DELETE' });
    for (const format of formats) {
      expect((await anybody.get(`${deleted.page}.${format}`)).status).toBe(410);
      expect((await fileOf(deleted.id, format)).status).toBe(410);
    }
  });

  it('need the permission of the receipt, and belong to its consumer and retailer', async () => {
    const { id } = await posted({ identifier: 'jane@example.com' });
    const other = await aRetailer();
    const joe = retailer.signed({ consumer: 'joe@example.com' });
    const jane = retailer.signed({ consumer: 'jane@example.com' });
    const writer = await retailer.clientWith({ permissions: ['view.post_receipt'] });
    for (const format of formats) {
      expect((await other.api.get(`/receipts/${id}`, { format })).status).toBe(404);
      expect((await joe.get(`/receipts/${id}`, { format })).status).toBe(404);
      expect((await jane.get(`/receipts/${id}`, { format })).status).toBe(200);
      expect((await writer.get(`/receipts/${id}`, { format })).status).toBe(403);
    }
  });

  it('say that a receipt was voided', async () => {
    const { id, page } = await posted();
    await retailer.api.post(`/receipts/${id}/_void`, { reason: 'mistake' });
    expect((await anybody.get(`${page}.json`)).body.voided).not.toBeNull();
    expect(textOf(await anybody.get(`${page}.csv`)).split('\r\n')[1]).toContain(',true,');
    expect(textOf(await anybody.get(`${page}.ubl`))).toContain('<cbc:Note>Voided on ');
    expect((await anybody.get(`${page}.ekabs`)).body.misc.footer_text).toContain('Storniert');
  });
});

describe('the receipt as JSON', () => {
  it('is what the page shows', async () => {
    const secret = 'secret-value';
    const { id, page } = await posted({
      identifier: 'jane@example.com',
      properties: { secret },
      items: items.map((item) => ({ ...item, properties: { secret }, dynamic: { secret } })),
      taxes: [{ name: 'vat', rate: 20, amount: 3.33, properties: { secret } }],
      payments: [
        {
          method: 'card',
          amount: 20,
          number: '1234',
          brand: 'Visa',
          type: secret,
          authorization_code: secret,
          details: { terminal_id: secret, brand: 'Visa' },
        },
        { method: 'giftcard', amount: 5.48, number: '9876543210' },
      ],
      attachments: { note: { data: Buffer.from(secret).toString('base64') } },
    });
    const { body, bytes } = await anybody.get(`${page}.json`);
    for (const hidden of [secret, 'jane@example.com', '987654'])
      expect(bytes.toString()).not.toContain(hidden);
    for (const name of ['properties', 'dynamic', 'identifier', 'pos_data_ids', 'attachments']) {
      expect(bytes.toString()).not.toContain(`"${name}"`);
    }
    const full = (await retailer.api.get(`/receipts/${id}`)).body;
    expect(body).toMatchObject({ id, total: full.total, localtime: full.localtime, fiscal: full.fiscal });
    expect(body.payments[0]).toMatchObject({ number: '1234', brand: 'Visa', details: { brand: 'Visa' } });
    expect(body.payments[1].number).toBe('3210');
  });

  it('keeps every digit', async () => {
    const quantity = '0.12345678901234567891';
    const posting = JSON.stringify(aReceipt()).replace('"quantity":2', `"quantity":${quantity}`);
    const headers = { 'content-type': 'application/json' };
    const answer = await retailer.api.post('/receipts', posting, headers);
    expect(answer.status).toBe(201);
    const { id } = answer.body as { id: string };
    const full = textOf(await retailer.api.get(`/receipts/${id}`));
    expect(textOf(await fileOf(id, 'json'))).toContain(/"quantity":0.12345[0-9]*/.exec(full)?.[0]);
  });
});

describe('the receipt as CSV', () => {
  it('has the columns of the export, and names nobody', async () => {
    const { id, page } = await posted({ identifier: 'jane@example.com' });
    const [header, ...rows] = textOf(await anybody.get(`${page}.csv`)).split('\r\n');
    expect(header).toMatch(/^id,transaction_id,.*,item_serial$/);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(new RegExp(`^${id},.*,,EUR,25.48,`));
    expect(rows.join()).not.toContain('jane');
  });
});

describe('the receipt as EKaBS', () => {
  const code =
    'V0;till-7;Kassenbeleg-V1;Beleg^19.99_5.49_0.00_0.00_0.00^25.48:Bar;21;36519;2026-03-14T11:29:50.000Z;' +
    '2026-03-14T11:30:00.000Z;ecdsa-plain-SHA384;unixTime;c2lnbmF0dXJl;cHVibGljIGtleQ==';
  const fiscal = { regime: 'de-tse', qr: code, counter: 36519, texts: ['Seriennummer: 1'] };
  const isEkabs = new Ajv2020({ allErrors: true });
  addFormats(isEkabs);
  const validate = isEkabs.compile(
    JSON.parse(readFileSync(join(__dirname, 'data/ekabs.schema.json'), 'utf8')) as object,
  );

  it('has the amounts by rate, and what the TSE has signed', async () => {
    const { page } = await posted({ fiscal });
    const { body } = await anybody.get(`${page}.ekabs`);
    expect([validate(body), validate.errors]).toEqual([true, null]);
    expect(body.cash_register).toEqual({ serial_number: 'till-7' });
    expect(body.data.vat_amounts).toEqual([
      { percentage: 20, incl_vat: 19.99, excl_vat: 16.66, vat: 3.33 },
      { percentage: 10, incl_vat: 5.49, excl_vat: 4.99, vat: 0.5 },
    ]);
    expect(body.security.tse).toEqual({
      serial_number: createHash('sha256').update('public key').digest('hex').toUpperCase(),
      signature_algorithm: 'ecdsa-plain-SHA384',
      log_time_format: 'unixTime',
      timestamp_start: '2026-03-14T11:29:50.000Z',
      timestamp_end: '2026-03-14T11:30:00.000Z',
      transaction_number: 21,
      signature_number: 36519,
      process_type: 'Kassenbeleg-V1',
      process_data: 'Beleg^19.99_5.49_0.00_0.00_0.00^25.48:Bar',
      signature: 'c2lnbmF0dXJl',
    });
    expect(body.misc.footer_text).toBe('Seriennummer: 1');
  });

  it('reads whole numbers only, and process data with semicolons', async () => {
    const order = code.replace(
      'Kassenbeleg-V1;Beleg^19.99_5.49_0.00_0.00_0.00^25.48:Bar',
      'Bestellung-V1;1;"Ice";3.99',
    );
    const { page } = await posted({ fiscal: { regime: 'de-tse', qr: order, number: '1e3' } });
    const { body } = await anybody.get(`${page}.ekabs`);
    expect(body.security.tse).toMatchObject({ process_data: '1;"Ice";3.99', transaction_number: 21 });
  });

  it.each([
    ['without rates of tax', { items: aReceipt()['items'], discounts: [{ name: 'Loyal', amount: -1 }] }],
    ['of an unknown store', { store_reference: 99 }],
    ['with the code of another law', { fiscal: { ...fiscal, regime: 'at-rksv' } }],
    ['with a broken code', { fiscal: { regime: 'de-tse', qr: 'V0;1' }, till_uuid: 'till-1' }],
    ['with a foreign payment', { payments: [{ method: 'cash', amount: 30, currency: 'CHF' }] }],
    [
      'with empty texts',
      {
        till_uuid: '',
        items: items.map((item) => ({ ...item, name: '', unit: '' })),
        discounts: [{ name: '', amount: 0 }],
        store_reference: 'bare',
      },
    ],
    ['with an empty code', { fiscal: { regime: 'de-tse', qr: 'V0;;;;;;;;;;;' } }],
    [
      'with a code of an impossible day',
      { fiscal: { regime: 'de-tse', qr: code.replaceAll('2026-03-14', '2026-02-30') } },
    ],
    [
      'with times that leave out seconds',
      { fiscal: { regime: 'de-tse', started: '2026-03-14T11:29Z', finished: '2026-03-14T12:30:00+01' } },
    ],
    ['of a return', { total: -25.48, items: items.map((item) => ({ ...item, total: -item.total })) }],
  ])('has its file also for a receipt %s', async (_title, overrides) => {
    const { page } = await posted(overrides);
    const { body } = await anybody.get(`${page}.ekabs`);
    expect([validate(body), validate.errors]).toEqual([true, null]);
    expect('security' in body).toBe(JSON.stringify(overrides).includes('de-tse'));
  });
});
