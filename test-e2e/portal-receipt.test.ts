import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { locationOf, portalAddress, PortalVisitor, textOf, type PortalUser } from './harness/portal-visitor';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let portal: PortalVisitor;
let retailer: TestRetailer;
let manager: PortalUser;

beforeAll(async () => {
  portal = new PortalVisitor();
  retailer = await aRetailer({
    portal_groups: ['managers', 'clerks'],
    portal_permissions: { managers: ['view.*'], clerks: ['view.get_receipt'] },
  });
  manager = await portal.user(retailer.api, 'managers');
});

const pathOf = (id: string) => `/portal/receipts/${id}`;
const pageOf = async (id: string, who = manager) => textOf(await portal.get(pathOf(id), who));
const submit = (path: string, fields: Parameters<PortalVisitor['send']>[1], who = manager) =>
  portal.send(path, fields, who);
const act = (id: string, fields: Record<string, string>, who = manager) =>
  submit(`${pathOf(id)}/actions`, fields, who);

const shirts = {
  items: [
    { name: 'Shirt', quantity: 3, total: 30, properties: { product_code: 'S-1' } },
    { name: 'Belt', quantity: 1, total: 9.99 },
  ],
  total: 39.99,
  payments: [{ method: 'card', amount: 39.99 }],
};

async function posted(change: object = {}): Promise<{ id: string; transaction: string }> {
  const transaction = uniqueId('S');
  const receipt = aReceipt({ transaction_id: transaction, ...shirts, ...change });
  const answer = await retailer.api.post('/receipts', receipt);
  expect(answer.status).toBe(201);
  return { id: answer.body.id, transaction };
}

it('is voided after a confirmation, and then offers neither voiding, returning nor sending', async () => {
  const { id, transaction } = await posted();
  const before = await pageOf(id);
  for (const offered of ['value="void"', '/return"', '/send"']) expect(before).toContain(offered);
  const asked = await act(id, { action: 'void' });
  expect([asked.status, textOf(asked)]).toEqual([
    200,
    expect.stringContaining(`Void receipt ${transaction}?`),
  ]);
  expect((await retailer.api.get(`/receipts/${id}`)).body.voided).toBeNull();
  const done = await act(id, { action: 'void', text: 'wrong customer', confirmed: 'true' });
  expect(locationOf(done)).toEqual([303, `${pathOf(id)}?done=void`]);
  expect((await retailer.api.get(`/receipts/${id}`)).body.voided).toMatchObject({ reason: 'wrong customer' });
  const after = await pageOf(id);
  for (const offered of ['value="void"', '/return"', '/send"']) expect(after).not.toContain(offered);
  expect(after).toContain('wrong customer');
  expect((await act(id, { action: 'void' })).status).toBe(422);
});

it('returns two of three shirts; the return says so and links to its sale, and the sale to its return', async () => {
  const sale = await posted();
  const form = textOf(await portal.get(`${pathOf(sale.id)}/return`, manager));
  expect(form).toContain('max="3"');
  const [, number = ''] = /name="transaction_id"\s+type="text"\s+value="([^"]+)"/.exec(form) ?? [];
  const fields = (shirt: string, more: readonly (readonly [string, string])[] = []) =>
    [
      ['quantities', shirt],
      ['quantities', '0'],
      ['method', 'card'],
      ['reason', 'too small'],
      ['transaction_id', number],
      ...more,
    ] as const;
  const send = (shirt: string, more?: readonly (readonly [string, string])[]) =>
    submit(`${pathOf(sale.id)}/return`, fields(shirt, more));
  expect((await send('4')).status).toBe(422);
  expect(textOf(await send('0'))).toContain('Enter the quantity of at least one item.');
  const asked = await send('2');
  expect([asked.status, textOf(asked)]).toEqual([200, expect.stringContaining('Pay back €20.00?')]);
  const done = await send('2', [['confirmed', 'true']]);
  const [, id = ''] = /receipts\/([0-9a-f]{24})\?done=returned/.exec(done.headers.location ?? '') ?? [];
  const { body } = await retailer.api.get(`/receipts/${id}`, { checks: 'true' });
  expect(body).toMatchObject({ transaction_id: number, total: -20, checks: [], related: [{ id: sale.id }] });
  const page = await pageOf(id);
  expect(page).toContain(`<h1>Return ${number}`);
  expect(page.replace(/\s+/g, ' ')).toContain(`Return of the sale: <a href="${pathOf(sale.id)}"`);
  expect((await pageOf(sale.id)).replace(/\s+/g, ' ')).toContain(`Returned with: <a href="${pathOf(id)}"`);
  const left = (await retailer.api.get(`/receipts/${sale.id}/returnable`)).body.items;
  expect(left[0]).toMatchObject({ returned_quantity: 2, returnable_quantity: 1 });
  expect((await send('2', [['confirmed', 'true']])).status).toBe(422);
  const twice = await send('1', [['confirmed', 'true']]);
  expect([twice.status, textOf(twice)]).toEqual([
    409,
    expect.stringContaining('There is already a receipt with this number.'),
  ]);
});

it('offers no return once everything was returned', async () => {
  const sale = await posted();
  const all = { related: [{ type: 'return', id: sale.id }] };
  const items = shirts.items.map(({ name, quantity, total, properties }) => ({
    name,
    quantity: -quantity,
    total: -total,
    ...(properties && { properties }),
  }));
  await posted({ ...all, items, total: -39.99, payments: [] });
  expect(await pageOf(sale.id)).not.toContain('/return"');
  expect(textOf(await portal.get(`${pathOf(sale.id)}/return`, manager))).toContain(
    'Nothing of this sale can be returned any more.',
  );
});

it('shows what happened, by whom, and what does not add up', async () => {
  const { id } = await posted({ total: 40 });
  await retailer.api.patch(`/receipts/${id}`, [{ op: 'add', path: '/properties/size', value: 'M' }], {
    'content-type': 'application/json-patch+json',
  });
  await act(id, { action: 'void', confirmed: 'true' });
  const page = await pageOf(id);
  const [history = ''] = /id="history"[\s\S]*?<\/section>/.exec(page) ?? [];
  const text = history.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  expect(text).toMatch(/posted .* changed .* voided/);
  expect(text).toContain(manager.email);
  expect(page).toContain('This receipt does not add up');
});

it('keeps notes until the receipt is deleted or its customer erased', async () => {
  const customer = portalAddress();
  const { id } = await posted({ identifier: customer });
  const word = uniqueId('note');
  expect(locationOf(await act(id, { action: 'note', text: `Jane asked for ${word}` }))).toEqual([
    303,
    `${pathOf(id)}?done=note`,
  ]);
  expect((await act(id, { action: 'note', text: ' ' })).status).toBe(422);
  const page = await pageOf(id);
  expect(page).toContain(word);
  expect(page).toContain(manager.email);
  await until(
    'the customer to be known',
    async () => (await retailer.api.get(`/identifiers/${customer}`)).status === 200,
  );
  const asked = textOf(await act(id, { action: 'erase' }));
  expect(asked).toContain(`Erase the customer ${customer}?`);
  expect(locationOf(await act(id, { action: 'erase', confirmed: 'true' }))).toEqual([
    303,
    `${pathOf(id)}?done=erase`,
  ]);
  await until('the customer is erased', async () => {
    const after = await pageOf(id);
    return !after.includes(word) && !after.includes(customer);
  });
  expect(await pageOf(id)).not.toContain('value="erase"');
  expect(locationOf(await act(id, { action: 'delete', confirmed: 'true' }))).toEqual([
    303,
    '/portal/?done=deleted',
  ]);
  expect((await retailer.api.get(`/receipts/${id}`)).status).toBe(410);
  expect((await portal.get(pathOf(id), manager)).status).toBe(410);
});

it('offers and accepts only what the group may do', async () => {
  const { id } = await posted({ identifier: portalAddress() });
  const clerk = await portal.user(retailer.api, 'clerks');
  const page = await pageOf(id, clerk);
  for (const action of ['void', 'erase', 'delete', 'note']) {
    expect(page).not.toContain(`value="${action}"`);
    expect((await act(id, { action, text: 'x', confirmed: 'true' }, clerk)).status).toBe(403);
  }
  expect(page).not.toContain('/return"');
  expect((await portal.get(`${pathOf(id)}/return`, clerk)).status).toBe(403);
  expect((await act(id, { action: 'void' }, { ...manager, csrf: 'x' })).status).toBe(403);
});
