import type { TestRetailer } from './harness/client';
import { PortalVisitor, textOf, type PortalUser } from './harness/portal-visitor';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;
let portal: PortalVisitor;
let user: PortalUser;

beforeAll(async () => {
  const settings = {
    portal_groups: ['managers', 'none'],
    portal_permissions: { managers: ['view.*'], none: [] },
  };
  retailer = await aRetailer(settings);
  portal = new PortalVisitor();
  user = await portal.user(retailer.api, 'managers');
});

const items = [{ name: 'Tea', quantity: 1, total: 10 }];

async function posted(overrides: object): Promise<{ id: string; transaction: string }> {
  const transaction = uniqueId('check');
  const receipt = { transaction_id: transaction, items, total: 10, payments: [], ...overrides };
  const answer = await retailer.api.post('/receipts', aReceipt(receipt));
  expect(answer.status).toBe(201);
  return { id: answer.body.id, transaction };
}

const page = async (query: Record<string, string> = {}) => {
  const answer = await portal.get('/portal/checks', user, query);
  expect(answer.status).toBe(200);
  return textOf(answer);
};
/** The ids of the receipts that a page links to, newest first. */
const linked = (text: string) =>
  [...text.matchAll(/href="\/portal\/receipts\/([0-9a-f]{24})"/g)].map(([, id]) => id);

it('lists failing receipts by store and till in plain words, with a link to each', async () => {
  await posted({});
  const one = await posted({ total: 11, store_reference: 'north', till_uuid: 'till-1' });
  const two = await posted({ total: 12, store_reference: 'north', till_uuid: 'till-2' });
  const three = await posted({
    store_reference: 'south',
    localtime: '2026-02-11T12:30:00',
    till_uuid: '<b>till</b>',
    payments: [{ method: 'cash', amount: 9 }],
  });
  const all = await page();
  expect(linked(all)).toEqual([three.id, two.id, one.id]);
  expect(all).toContain(one.transaction);
  expect(all).toContain('Items and discounts add up to €10.00, the total is €11.00.');
  expect(all).toContain('The payments add up to €9.00, the total is €10.00.');
  expect(all).toContain('Payments and total: 1');
  expect(all).toContain('href="/portal/checks?store=north&amp;till=till-1"');
  expect(all).not.toContain('<b>');

  const filters: readonly (readonly [Record<string, string>, readonly string[]])[] = [
    [{ store: 'north' }, [two.id, one.id]],
    [{ store: 'north', till: 'till-1' }, [one.id]],
    [{ code: 'payments_total' }, [three.id]],
    [{ code: 'any', from: '', to: '', store: '', till: '' }, [three.id, two.id, one.id]],
    [{ from: '2026-02-11', to: '2026-02-11' }, [three.id]],
    [{ to: '2026-02-10' }, []],
  ];
  for (const [query, ids] of filters) expect(linked(await page(query))).toEqual(ids);
  expect(await page({ to: '2026-02-10' })).toContain('No failing receipts here.');
});

it('explains what is wrong with fiscal data', async () => {
  const code =
    'https://batuz.eus/QRTBAI/?id=TBAI-00000006Y-251019-btFpwP8dcLGAF-237&s=T&nf=27174&i=4.70&cr=008';
  const fiscal = { regime: 'es-ticketbai', qr: code };
  await posted({ store_reference: 'basque', fiscal });
  await posted({ store_reference: 'basque', fiscal: { regime: 'se' } });
  const text = await page({ store: 'basque' });
  expect(text).toContain('The signature or a check sum of the fiscal data is wrong (/fiscal/qr).');
  expect(text).toContain('The till has signed €4.70, the receipt has €10.00.');
  expect(text).toContain('Fiscal field /payments: required is payment method, the receipt has nothing.');
  expect(text).toContain('Fiscal signature: 1');
});

it('shows no receipts of other retailers, and none to a group that may not search', async () => {
  const { id } = await posted({ total: 11 });
  const other = await aRetailer({
    portal_groups: ['managers'],
    portal_permissions: { managers: ['view.*'] },
  });
  const stranger = await portal.user(other.api, 'managers');
  expect(linked(textOf(await portal.get('/portal/checks', stranger)))).toEqual([]);
  const none = await portal.user(retailer.api, 'none');
  const refused = await portal.get('/portal/checks', none);
  expect([refused.status, textOf(refused).includes(id)]).toEqual([403, false]);
  expect((await portal.client.get('/portal/checks')).headers.location).toBe('/portal/sign-in');
});
