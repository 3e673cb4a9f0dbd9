import type { Client, TestRetailer } from './harness/client';
import { invoiceRules, type InvoiceRules } from './harness/invoice-rules';
import { aReceipt } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';
import { invoicingStore, postRated, ratedItems as items, vat } from './harness/take-along';

let retailer: TestRetailer;
let anybody: Client;
let rules: InvoiceRules;

beforeAll(async () => {
  rules = await invoiceRules();
  anybody = await anonymous();
  retailer = await aRetailer({ response_links: true, timezone: 'Europe/Paris' });
  expect((await retailer.api.post('/stores', invoicingStore)).status).toBe(201);
});

const posted = (overrides: Record<string, unknown> = {}) => postRated(retailer, overrides);
const textOf = ({ bytes }: { bytes: Buffer }) => bytes.toString('utf8');
const amountIn = (xml: string, name: string) =>
  new RegExp(`<cbc:${name}[^>]*>([^<]*)<`).exec(xml)?.[1] ?? null;

async function invoice(overrides: Record<string, unknown>): Promise<string> {
  const { page } = await posted(overrides);
  const answer = await anybody.get(`${page}.ubl`);
  expect([answer.status, answer.status === 200 ? [] : answer.body.errors]).toEqual([200, []]);
  const xml = textOf(answer);
  expect(await rules.faultsOf(xml)).toEqual([]);
  return xml;
}

describe('the receipt as an invoice', () => {
  it('is accepted by the schema and the rules of the standard', async () => {
    const xml = await invoice({});
    expect(xml).toContain('<cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID>');
    expect(xml).toContain('<cbc:RegistrationName>Anonymous</cbc:RegistrationName>');
    expect(amountIn(xml, 'TaxInclusiveAmount')).toBe('25.48');
    expect(amountIn(xml, 'PrepaidAmount')).toBe('25.48');
    expect(amountIn(xml, 'PayableAmount')).toBe('0.00');
  });

  it('finds out a wrong amount, so that the rules are known to work', async () => {
    const xml = await invoice({});
    const wrong = xml.replace(/(<cbc:TaxInclusiveAmount[^>]*>)[^<]*/, '$199.00');
    expect((await rules.faultsOf(wrong)).join()).toContain('BR-CO-15');
    expect(await rules.faultsOf(xml.replace('<cbc:IssueDate>', '<cbc:Wrong/><cbc:IssueDate>'))).not.toEqual(
      [],
    );
  });

  it.each([
    ['without payments', { payments: [] }],
    [
      'with net prices',
      {
        items: [{ name: 'A', quantity: 3, total: 10, taxes: vat(21, 2.1) }],
        taxes: vat(21, 2.1),
        total: 12.1,
      },
    ],
    [
      'with many roundings',
      {
        items: Array.from({ length: 50 }, (_, n) => ({
          name: `Item ${n}`,
          quantity: 3,
          total: 0.99,
          taxes: vat([5.5, 7, 19, 20][n % 4] ?? 0, 0.1),
        })),
        total: 49.5,
        payments: [],
      },
    ],
    [
      'with a discount of the receipt',
      {
        discounts: [{ name: 'Loyal', amount: -5.48 }],
        total: 20,
        payments: [{ method: 'card', amount: 20 }],
      },
    ],
    [
      'with a positive discount',
      { discounts: [{ name: 'Loyal', amount: 5.48 }], total: 20, payments: [{ method: 'card', amount: 20 }] },
    ],
    [
      'with charges',
      {
        charges: [
          { name: 'Service', amount: 2.5, taxes: vat(20, 0.42) },
          { name: 'Deposit', amount: 1 },
        ],
        total: 28.98,
        payments: [],
      },
    ],
    [
      'with a returned item',
      { items: [...items, { name: 'Hat', quantity: -1, total: -7.77, taxes: vat(20, -1.3) }], total: 17.71 },
    ],
    [
      'with a rate of zero',
      {
        items: [{ name: 'Bread', quantity: 1, total: 2, taxes: vat(0, 0) }, ...items],
        total: 27.48,
        payments: [],
      },
    ],
    [
      'with cash rounding and change',
      { payments: [{ method: 'cash', amount: 30, change: 4.5, rounding: 0.02 }] },
    ],
    [
      'with control characters',
      { items: [{ name: '\u0001\u0000', quantity: 0.353, unit: 'kg', total: 25.48, taxes: vat(20, 4.25) }] },
    ],
    [
      'with a total of zero',
      {
        items: [
          { ...items[0], total: 5 },
          { ...items[1], total: -5 },
        ],
        total: 0,
        payments: [],
      },
    ],
    ['as a duplicate', { duplicate: true }],
  ])('%s has the total of the receipt', async (_title, overrides: Record<string, unknown>) => {
    const xml = await invoice(overrides);
    const cents = (name: string) => Math.round(Number(amountIn(xml, name) ?? 0) * 100);
    const total = Math.round(((overrides['total'] as number | undefined) ?? 25.48) * 100);
    expect(cents('TaxInclusiveAmount') + cents('PayableRoundingAmount')).toBe(total);
  });

  it('splits discounts of the receipt by rate', async () => {
    const xml = await invoice({ discounts: [{ name: 'Loyal', amount: -5.48 }], total: 20, payments: [] });
    const allowances = xml.match(/<cac:AllowanceCharge>[\s\S]*?<\/cac:AllowanceCharge>/g) ?? [];
    expect(allowances.map((one) => [amountIn(one, 'Percent'), amountIn(one, 'Amount')])).toEqual([
      ['20', '3.58'],
      ['10', '1.07'],
    ]);
  });

  it('is a credit note if the total is negative, which names the sale', async () => {
    const xml = await invoice({
      items: items.map((item) => ({
        ...item,
        quantity: -item.quantity,
        total: -item.total,
        taxes: [],
        vat: { rate: 20, amount: -1 },
      })),
      total: -25.48,
      payments: [{ method: 'card', amount: -25.48 }],
      related: [{ type: 'return', transaction_id: 'the-sale' }],
    });
    expect(xml).toContain('<CreditNote ');
    expect([amountIn(xml, 'TaxInclusiveAmount'), amountIn(xml, 'PayableRoundingAmount')]).toEqual([
      '25.49',
      '-0.01',
    ]);
    expect(xml).toMatch(/<cac:InvoiceDocumentReference>\s*<cbc:ID>the-sale</);
  });

  it('names the consumer whose name and address are known', async () => {
    const identifier = 'erika@example.com';
    const name = { first: 'Erika', last: 'Mustermann' };
    await retailer.api.post('/identifiers', { identifier, properties: { name } });
    expect(await invoice({ identifier })).toContain('>Anonymous<');
    const value = ['Heidestraße 17'];
    const patched = await retailer.api.patch(`/identifiers/${identifier}`, [
      { op: 'add', path: '/properties/address', value },
      { op: 'add', path: '/properties/city', value: 'Köln' },
    ]);
    expect(patched.status).toBe(204);
    const xml = await invoice({ identifier });
    expect(xml).toContain('>Erika Mustermann<');
    expect(xml).toContain('>Heidestraße 17<');
    expect(xml).toContain('>Köln<');
  });

  it('states a number of the local tax office as such', async () => {
    const local = {
      ...invoicingStore,
      reference: 2,
      vatno: '123/456/789',
      country: 'DEU',
      company: 'Café GmbH',
    };
    await retailer.api.post('/stores', local);
    expect(await invoice({ store_reference: 2 })).toMatch(/123\/456\/789<[\s\S]{0,80}<cbc:ID>FC</);
  });

  it('names everything that lacks otherwise', async () => {
    const { id, page } = await posted({ store_reference: 99, items: aReceipt()['items'], total: 30 });
    for (const answer of [
      await retailer.api.get(`/receipts/${id}`, { format: 'ubl' }),
      await anybody.get(`${page}.ubl`),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([422, 'not_an_invoice']);
      const found = (answer.body.errors as { code: string; path: string }[]).map(
        ({ code, path }) => `${code} ${path}`,
      );
      expect(found).toEqual([
        'BT-31 /retailer/vatno',
        'BT-40 /store/country',
        'BT-152 /items/1/taxes',
        'BT-112 /total',
      ]);
    }
    const shown = await anybody.get(`${page}.ubl`, undefined, { accept: 'text/html' });
    expect(textOf(shown)).toContain('BT-152');
  });
});
