import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { mailsTo } from './harness/mails';
import { locationOf, portalAddress, PortalVisitor, textOf, type PortalUser } from './harness/portal-visitor';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let portal: PortalVisitor;
let retailer: TestRetailer;
let manager: PortalUser;

beforeAll(async () => {
  portal = new PortalVisitor();
  retailer = await aRetailer({
    portal_groups: ['managers', 'readers'],
    portal_permissions: { managers: ['view.*'], readers: ['view.get_receipt'] },
  });
  manager = await portal.user(retailer.api, 'managers');
});

const home = async (query: Record<string, string> = {}, who = manager) =>
  textOf(await portal.get('/portal/', who, query));
const submit = (path: string, fields: Parameters<PortalVisitor['send']>[1], who = manager) =>
  portal.send(path, fields, who);

async function posted(change: object = {}): Promise<{ id: string; transaction: string }> {
  const transaction = uniqueId('R');
  const answer = await retailer.api.post('/receipts', aReceipt({ transaction_id: transaction, ...change }));
  expect(answer.status).toBe(201);
  return { id: answer.body.id, transaction };
}

/** The cells of the row of a receipt, without markup. */
function rowOf(page: string, transaction: string): string {
  const rows = page.split('<tr>').filter((row) => row.includes(`>${transaction}</a>`));
  expect(rows).toHaveLength(1);
  return (rows[0] ?? '').replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

it('shows time with zone, store, till, items, payment, total and marks of each receipt in a row', async () => {
  const returned = await posted({
    localtime: '2026-02-11T12:30:00+01:00',
    till_uuid: 'till-9',
    items: [
      { name: 'Purple umbrella', quantity: -1, total: -20 },
      { name: 'Tea', quantity: 1, total: 4 },
    ],
    total: -15,
    payments: [{ method: 'cash', amount: -16 }],
  });
  await retailer.api.post(`/receipts/${returned.id}/_void`, {});
  const row = rowOf(await home({ query: returned.transaction }), returned.transaction);
  for (const text of ['11 Feb, 12:30', '+01:00', 'till-9', '2', 'Purple umbrella', 'Cash', '-€15.00'])
    expect(row).toContain(text);
  for (const mark of ['voided', 'return', 'does not add up']) expect(row).toContain(mark);
});

it('sorts by time of sale or by arrival, and filters by mark', async () => {
  const word = uniqueId('word').replace(/\W/g, '');
  const item = { name: word, quantity: 1, total: 25.48 };
  const late = await posted({ localtime: '2026-01-03T10:00:00+00:00', items: [item] });
  const early = await posted({ localtime: '2026-01-02T10:00:00+00:00', items: [item] });
  const order = async (query: object) => {
    const page = await home({ query: word, ...query });
    return page.indexOf(late.transaction) < page.indexOf(early.transaction);
  };
  expect([await order({}), await order({ sort: 'arrived' })]).toEqual([true, false]);
  await retailer.api.post(`/receipts/${late.id}/_void`, {});
  const marked = await home({ query: word, mark: 'voided' });
  expect([marked.includes(late.transaction), marked.includes(early.transaction)]).toEqual([true, false]);
  const again = { transaction_id: early.transaction, duplicate: true, items: [item] };
  expect((await retailer.api.post('/receipts', aReceipt(again))).status).toBe(201);
  expect(await home({ query: word, mark: 'duplicate' })).toContain('1 receipt found');
});

it('says what it understood', async () => {
  await retailer.api.post('/stores', { name: 'Rivoli corner', country: 'FRA', reference: 4711 });
  const words = await home({ query: 'umbrella 19.99 rivoli 14.3.2026' });
  for (const text of [
    '<strong>umbrella</strong>: item, number or customer',
    '<strong>19.99</strong>: total, or price of an item',
    'item, number, customer or store Rivoli corner',
    '<strong>14.3.2026</strong>: sold on 14 Mar 2026',
  ]) {
    expect(words).toContain(text);
  }
  const language = (await home({ query: '+total:[10 TO 20] -voided:* checks:*' })).replace(/\s+/g, ' ');
  expect(language).toMatch(/required<\/span> <code>\+total:\[10 TO 20\]/);
  expect(language).toMatch(/excluded<\/span> <code>-voided:\*/);
  expect(language).toMatch(/optional<\/span> <code>checks:\*/);
  const store = await posted({ store_reference: 4711 });
  expect(await home({ query: 'rivo' })).toContain(store.transaction);
});

it('knows the oldest of many stores', async () => {
  const large = await aRetailer({
    portal_groups: ['managers'],
    portal_permissions: { managers: ['view.*'] },
  });
  const visitor = await portal.user(large.api, 'managers');
  const add = (name: string, reference: number) =>
    large.api.post('/stores', { name, reference, country: 'FRA' });
  expect((await add('Harbour', 1)).status).toBe(201);
  for (let n = 2; n < 122; n++) expect((await add(`Branch ${n}`, n)).status).toBe(201);
  expect(await home({ query: 'harbour' }, visitor)).toContain('customer or store Harbour');
});

it('downloads what is shown as CSV', async () => {
  const word = uniqueId('csv').replace(/\W/g, '');
  const one = await posted({ items: [{ name: `=${word}`, quantity: 1, total: 25.48 }] });
  await posted();
  const page = await home({ query: word });
  const [, href = ''] = /href="([^"]*receipts\.csv[^"]*)"/.exec(page) ?? [];
  const { pathname, searchParams } = new URL(href.replaceAll('&amp;', '&'), portal.client.baseUrl);
  const file = await portal.get(pathname, manager, Object.fromEntries(searchParams));
  expect([file.status, file.headers['content-type']]).toEqual([
    200,
    'text/csv; charset=utf-8; header=present',
  ]);
  const lines = file.bytes.toString().trimEnd().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(`${one.id},${one.transaction},`);
  expect(lines[1]).toContain(`,'=${word},`);
  expect((await portal.get(pathname, manager, { query: 'colour:red' })).status).toBe(400);
  expect(locationOf(await portal.client.get(pathname))).toEqual([303, '/portal/sign-in']);
});

it('downloads all receipts as CSV, however many there are', async () => {
  const word = uniqueId('many').replace(/\W/g, '');
  const items = [{ name: word, quantity: 1, total: 25.48 }];
  const transactions = Array.from({ length: 1_500 }, () => uniqueId('R'));
  for (let n = 0; n < transactions.length; n += 500) {
    const receipts = transactions
      .slice(n, n + 500)
      .map((transaction_id) => aReceipt({ transaction_id, items }));
    expect((await retailer.api.post('/receipts/_batch', { receipts })).status).toBe(200);
  }
  const idsIn = async (query: Record<string, string>) => {
    const file = await portal.get('/portal/receipts.csv', manager, query);
    expect(file.status).toBe(200);
    const lines = textOf(file).trimEnd().split('\r\n');
    expect(lines.filter((line) => line.startsWith('id,'))).toHaveLength(1);
    return lines
      .slice(1)
      .map((line) => line.split(',')[1] ?? '')
      .sort();
  };
  const listed = transactions.toSorted();
  await until('all receipts are found', async () => (await idsIn({ query: word })).length === listed.length);
  expect(await idsIn({ query: word })).toEqual(listed);
  expect(await idsIn({ query: word, mark: 'unsent', sort: 'arrived' })).toEqual(listed);
  expect(await idsIn({ query: word, mark: 'sent' })).toEqual([]);
  // Browsers cannot request a part of their own choice.
  expect((await portal.get('/portal/receipts.csv', manager, { query: word, part: '1_1' })).status).toBe(400);
});

it('saves searches for their user, and deletes those that name an erased consumer', async () => {
  const customer = `${uniqueId('person').toLowerCase()}@demo.example`;
  await posted({ identifier: customer });
  const save = (name: string, address: string) =>
    submit('/portal/searches', { action: 'save', name, address });
  expect(locationOf(await save('Voids', 'mark=voided&sort=arrived&evil=1'))).toEqual([
    303,
    '/portal/?mark=voided&sort=arrived&done=search-saved',
  ]);
  expect((await save('Jane', new URLSearchParams({ query: customer }).toString())).status).toBe(303);
  expect((await save(' ', 'mark=voided')).status).toBe(422);
  const page = await home();
  expect(page).toContain('href="/portal/?mark=voided&amp;sort=arrived">Voids</a>');
  expect(page).toContain('>Jane</a>');
  const colleague = await portal.user(retailer.api, 'managers');
  expect(await home({}, colleague)).not.toContain('>Voids</a>');
  expect((await retailer.api.post(`/identifiers/${encodeURIComponent(customer)}/_erase`, {})).status).toBe(
    202,
  );
  await until('the search is gone', async () => !(await home()).includes('>Jane</a>'));
  await submit('/portal/searches', { action: 'delete', name: 'Voids' });
  expect(await home()).not.toContain('>Voids</a>');
});

it('filters by whether a receipt was sent, could not be delivered, or was never sent', async () => {
  const word = uniqueId('word').replace(/\W/g, '');
  const items = [{ name: word, quantity: 1, total: 25.48 }];
  const sent = await posted({ items });
  const never = await posted({ items });
  const answer = await retailer.api.post('/receipts/_send', {
    id: sent.id,
    channels: ['email'],
    email_address: portalAddress(),
  });
  expect(answer.status).toBe(202);
  const shown = async (mark: string) => {
    const page = await home({ query: word, mark });
    return [sent, never].map(({ transaction }) => page.includes(`>${transaction}</a>`));
  };
  await until('the receipt is sent', async () => (await shown('sent'))[0]);
  expect(await shown('sent')).toEqual([true, false]);
  expect(await shown('unsent')).toEqual([false, true]);
  expect(await shown('notDelivered')).toEqual([false, false]);
  const file = textOf(await portal.get('/portal/receipts.csv', manager, { query: word, mark: 'unsent' }));
  expect([file.includes(never.transaction), file.includes(sent.transaction)]).toEqual([true, false]);
  const reader = await portal.user(retailer.api, 'readers');
  expect((await portal.get('/portal/', reader, { mark: 'sent' })).status).toBe(403);
});

it('sends several receipts, and shows what becomes of each', async () => {
  const email = portalAddress();
  const [sent, other, voided, none] = [
    await posted({ identifier: email }),
    await posted({ identifier: email }),
    await posted({ identifier: email }),
    await posted({ identifier: uniqueId('card') }),
  ];
  await retailer.api.post(`/receipts/${voided.id}/_void`, {});
  const ids = [sent.id, other.id, voided.id, none.id].map((id): [string, string] => ['ids', id]);
  const answer = await submit('/portal/receipts/send', ids);
  expect(answer.status).toBe(303);
  const progress = () => portal.client.get(answer.headers.location ?? '', {}, { cookie: manager.cookie });
  await until('the e-mails', () => mailsTo(email).length === 2);
  await until('the end', async () => !textOf(await progress()).includes('data-refreshed="2"'));
  const page = textOf(await progress());
  expect(page).toContain('4 of 4 done');
  for (const { transaction } of [sent, other]) expect(rowOf(page, transaction)).toContain('sent');
  expect(rowOf(page, voided.transaction)).toContain('The receipt was voided.');
  expect(rowOf(page, none.transaction)).toContain('No valid e-mail address of the customer is known.');
  expect((await submit('/portal/receipts/send', {})).status).toBe(422);
});

it('offers only what a group may do', async () => {
  const reader = await portal.user(retailer.api, 'readers');
  const page = await home({}, reader);
  expect([page.includes('type="checkbox"'), page.includes('/portal/receipts/send')]).toEqual([false, false]);
  expect((await submit('/portal/receipts/send', { ids: 'a' }, reader)).status).toBe(403);
  expect((await portal.get('/portal/', reader, { query: 'tea' })).status).toBe(403);
});

it('shows a page that does not exist, and one that is not allowed, with a way back', async () => {
  const headers = { accept: 'text/html', cookie: manager.cookie };
  const unknown = await portal.client.get('/portal/nowhere', {}, headers);
  expect(unknown.status).toBe(404);
  expect(textOf(unknown)).toContain('<h1>This page does not exist</h1>');
  expect(textOf(unknown)).toContain('aria-label="Pages"');
  const asProgram = await portal.client.get('/portal/nowhere', {}, { accept: 'application/json' });
  expect([asProgram.status, asProgram.body]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
  const reader = await portal.user(retailer.api, 'readers');
  const forbidden = await portal.client.get(
    '/portal/receipts/sent',
    {},
    { ...headers, cookie: reader.cookie },
  );
  expect([forbidden.status, textOf(forbidden)]).toEqual([403, expect.stringContaining('class="sidebar"')]);
  expect(textOf(forbidden)).toContain('Your group does not have the permission view.send_receipt.');
  for (const [path, home] of [
    ['/portal/nowhere', '/portal/'],
    ['/portal/much/deeper/nowhere', '/portal/'],
    ['/operator/pages/nowhere', '/operator'],
  ] as const) {
    const stranger = await portal.client.get(path, {}, { accept: 'text/html' });
    expect([path, stranger.status, textOf(stranger).includes(`href="${home}"`)]).toEqual([path, 404, true]);
    expect(stranger.headers['content-security-policy']).toContain("style-src 'self'");
  }
});
