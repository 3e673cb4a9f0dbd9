import { newId } from '@receipts/kernel';
import { callOf, receiptOf, retailerOf } from '../testing/samples';
import { startWorld, type World } from '../testing/world';

const person =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

let world: World;
let retailer: string;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  retailer = `r-${newId()}`;
  world.retailers.set(retailer, retailerOf(retailer));
});
afterAll(() => world.close());

async function tokenOf(receipt = receiptOf({ identifier: 'jane@example.com' })) {
  world.receipts.set(receipt.id, { retailer, receipt });
  const links = await world.ask('getReceiptLinks', { params: { id: receipt.id } }, callOf(retailer));
  return { receipt, token: links.body._links.webview.href.split('/').at(-1) ?? '' };
}
const page = (token: string, agent: string | undefined, headers: object = {}) =>
  world.ask(
    'showReceipt',
    { params: { token }, headers: { accept: 'text/plain', 'user-agent': agent, ...headers } } as never,
    callOf(''),
  );
const pdf = (token: string, agent: string) =>
  world.ask(
    'showReceiptPdf',
    { params: { token }, query: { format: 'a4' }, headers: { 'user-agent': agent } } as never,
    callOf(''),
  );
const views = () => world.events.filter((event) => event.retailer === retailer);
const published = (count: number) =>
  world.until(`${count} views are published`, () => views().length >= count).then(views);
const brief = () =>
  views().map(({ sequence, data }) => {
    const { viewer, views, repeated } = data as Record<string, unknown>;
    return [sequence, viewer, views, repeated];
  });

it('records whether a person or a bot views a receipt, and whether it has viewed it before', async () => {
  const { receipt, token } = await tokenOf();
  await page(token, 'WhatsApp/2.23.20.0');
  await published(1);
  await page(token, person);
  await published(2);
  await page(token, person);
  await published(3);
  await pdf(token, person);
  await published(4);
  await page(token, undefined);
  const events = await published(5);
  expect(brief()).toEqual([
    [1, 'bot', 1, false],
    [2, 'person', 1, false],
    [3, 'person', 2, true],
    [4, 'person', 3, true],
    [5, 'bot', 2, true],
  ]);
  expect(events[1]).toMatchObject({
    type: 'receipt.viewed',
    retailer,
    subject: receipt.id,
    source: `/retailers/${retailer}/receipt_views`,
    data: {
      id: receipt.id,
      transaction_id: receipt.transaction_id,
      identifier: 'jane@example.com',
      total: receipt.total,
      currency: receipt.l10n.currency,
      duplicate: false,
    },
  });
});

it('counts concurrent views individually', async () => {
  const { token } = await tokenOf();
  await Promise.all(Array.from({ length: 8 }, () => page(token, person)));
  await published(8);
  const counts = brief().map(([, , views]) => views as number);
  expect(counts.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

it('does not count an invalid link', async () => {
  await expect(page('x'.repeat(60), person)).rejects.toMatchObject({ status: 404 });
  const { token } = await tokenOf();
  await page(token, person);
  await published(1);
  expect(views()).toHaveLength(1);
});

it('does not keep deliveries and views for ever, even if their receipts are kept', async () => {
  for (const [name, key] of Object.entries({ deliveries: 'updatedAt', receipt_views: 'viewedAt' })) {
    const indexes = await world.database.db.collection(name).indexes();
    const expiry = { key: { [key]: 1 }, expireAfterSeconds: 400 * 86_400 };
    expect(indexes).toContainEqual(expect.objectContaining(expiry));
  }
  const { receipt, token } = await tokenOf();
  await page(token, person);
  await published(1);
  const counted = await world.database.db.collection('receipt_views').findOne({ receiptId: receipt.id });
  expect(counted).toMatchObject({ viewedAt: world.now });
});
