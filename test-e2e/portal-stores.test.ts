import { adminContracts } from '@receipts/contracts';
import type { Contract } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { expectStatus, type TestRetailer } from './harness/client';
import { locationOf, portalAddress, PortalVisitor, textOf, type PortalUser } from './harness/portal-visitor';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer, operator } from './harness/shared-platform';

/** In everything that belongs to the store that the user may not see. */
const mark = uniqueId('theirs').toLowerCase();
const own = uniqueId('ours').toLowerCase();

const day = '2026-05-17';
const range = `from=${day}&to=${day}`;

const settings = {
  portal_groups: ['managers', 'southerners'],
  portal_permissions: { managers: ['view.*'], southerners: ['view.get_receipt', 'view.search_receipt'] },
  portal_stores: { southerners: ['south'] },
};

let portal: PortalVisitor;
let retailer: TestRetailer;
let everybody: PortalUser;
/** May do everything, but only in the store `north`. */
let north: PortalUser;
let ids: { readonly ours: string; readonly theirs: string; readonly packet: string };

const put = (email: string, body: object) =>
  retailer.api.put(`/portal/user/${email}`, { group: 'managers', status: 'active', ...body });

async function post(store: string, name: string): Promise<string> {
  const receipt = {
    ...{ transaction_id: `${name}-${store}`, store_reference: store, till_uuid: name, total: 12 },
    localtime: `${day}T12:00:00`,
    items: [{ name, quantity: 1, total: 10 }],
  };
  const answer = await retailer.api.post('/receipts', aReceipt(receipt));
  expectStatus(answer, 201);
  return (answer.body as { id: string }).id;
}

beforeAll(async () => {
  portal = new PortalVisitor();
  retailer = await aRetailer(settings);
  for (const name of ['north', 'south']) {
    const store = { external_reference: name, name: name === 'south' ? mark : own, country: 'FRA' };
    expectStatus(await retailer.api.post('/stores', store), 201);
  }
  everybody = await portal.user(retailer.api, 'managers');
  north = await portal.user(retailer.api, 'managers');
  expectStatus(await put(north.email, { stores: ['north'] }), 204);
  expectStatus(await put(`${mark}@demo.example`, { stores: ['south'] }), 201);
  const packet = await retailer.api.call('/pos/receipts', {
    method: 'POST',
    headers: { 'content-type': 'text/plain', 'service-store-reference': 'south' },
    body: mark,
  });
  expectStatus(packet, 202);
  ids = {
    ours: await post('north', own),
    theirs: await post('south', mark),
    packet: (packet.headers.location ?? '').replace('/receipts/', ''),
  };
  await until('the totals', async () =>
    (await pageOf(`/portal/totals?by=store&${range}`, everybody)).includes('south'),
  );
});

const pageOf = async (path: string, who: PortalUser) => textOf(await portal.get(path, who));

type Fields = Readonly<Record<string, string>>;

/**
 * For each page and form, the requests with which a user could reach the receipts of another store. Undefined for pages
 * that do not depend on who is signed in.
 */
const attempts: Readonly<
  Record<string, (() => readonly (string | readonly [string, Fields])[]) | undefined>
> = {
  portalHome: () => [
    '/portal/',
    '/portal/?store=south',
    `/portal/?item=${mark}`,
    `/portal/?transaction=${mark}-south`,
    `/portal/?query=${encodeURIComponent(`+items.name:${mark}`)}`,
    `/portal/?query=${encodeURIComponent('+store_reference:south')}`,
  ],
  portalStart: () => ['/portal/start'],
  portalReceipt: () => [`/portal/receipts/${ids.theirs}`],
  portalSend: () => [[`/portal/receipts/${ids.theirs}/send`, { email: 'thief@demo.example' }]],
  portalAssign: () => [
    [`/portal/receipts/${ids.theirs}/assign`, { identifier: 'thief', confirmed: 'yes' }],
    [`/portal/receipts/${ids.theirs}/assign`, { identifier: 'thief' }],
  ],
  portalGift: () => [[`/portal/receipts/${ids.theirs}/gift`, {}]],
  portalUnassign: () => [[`/portal/receipts/${ids.theirs}/unassign`, { identifier: 'jane' }]],
  portalChecks: () =>
    ['', '&store=south', `&till=${mark}`].map((filter) => `/portal/checks?${range}${filter}`),
  portalTotals: () =>
    ['', '&store=south', '&by=till', '&by=store'].map((filter) => `/portal/totals?${range}${filter}`),
  portalTotalsCsv: () =>
    ['', '&store=south', '&by=till', '&by=store'].map((filter) => `/portal/totals.csv?${range}${filter}`),
  portalPackets: () => ['/portal/packets'],
  portalReprocess: () => [
    ['/portal/packets', { packet: ids.packet }],
    ['/portal/packets', {}],
  ],
  portalMappings: () => ['/portal/mappings'],
  portalWorkbench: () => [`/portal/mappings/workbench?packet=${ids.packet}`],
  portalTryMapping: () => [['/portal/mappings/workbench', { action: 'try', packet: ids.packet }]],
  portalBrand: () => ['/portal/brand'],
  portalBrandForm: () => [['/portal/brand', { action: 'save', name: 'theirs' }]],
  portalUsers: () => ['/portal/users'],
  portalCreateUser: () => [
    ['/portal/users', { email: portalAddress(), group: 'managers', scope: 'all' }],
    ['/portal/users', { email: portalAddress(), group: 'managers', scope: 'some', stores: 'south' }],
  ],
  portalUser: () => ['/portal/users/3'],
  portalUserForm: () => [
    ['/portal/users/3', { action: 'save', group: 'southerners', status: 'inactive' }],
    ['/portal/users/3', { action: 'reset' }],
  ],
  portalGroup: () => ['/portal/groups', '/portal/groups?group=southerners'],
  portalGroupForm: () => [
    ['/portal/groups', { action: 'save', group: 'southerners', scope: 'all' }],
    ['/portal/groups', { action: 'create', group: 'mine' }],
    ['/portal/groups', { action: 'delete', group: 'southerners' }],
  ],
  portalWebhooks: () => ['/portal/webhooks'],
  portalWebhook: () => ['/portal/webhooks/new'],
  portalWebhookForm: () => [['/portal/webhooks/new', { action: 'create', url: 'http://127.0.0.1:1/' }]],
  portalIntegration: () => ['/portal/integration'],
  portalCreateClient: () => [['/portal/integration', { authentication: 'bearer', description: 'mine' }]],
  portalClient: () => ['/portal/integration/bearer/1'],
  portalClientForm: () => [['/portal/integration/bearer/1', { action: 'issue' }]],
  portalAccount: () => ['/portal/account'],
  portalAccountForm: () => [['/portal/account', { action: 'confirm', code: '123456', setup: 'x' }]],
  portalSignInPage: undefined,
  portalSignIn: undefined,
  portalSignInCode: undefined,
  portalOidc: undefined,
  portalOidcCallback: undefined,
  portalSignOut: undefined,
  portalLanguage: undefined,
  portalForgottenPage: undefined,
  portalForgotten: undefined,
  portalPasswordPage: undefined,
  portalPassword: undefined,
};

const routes = Object.entries(adminContracts as Readonly<Record<string, Contract>>).filter(
  ([, { http }]) => http?.access === 'public' && http.path.startsWith('/portal'),
);

it('knows every page and form of the portal', () => {
  expect(Object.keys(attempts).sort()).toEqual(routes.map(([name]) => name).sort());
});

const theirs = async () => (await retailer.api.get(`/receipts/${ids.theirs}`)).body as unknown;

it.each(Object.entries(attempts).filter(([, requests]) => requests))(
  '%s neither shows nor changes what belongs to other stores',
  async (_, requests) => {
    const before = await theirs();
    for (const request of requests?.() ?? []) {
      const [path, fields] = typeof request === 'string' ? [request] : request;
      const answer = fields
        ? await portal.submit(path, { csrf: north.csrf, ...fields }, north.cookie)
        : await portal.get(path, north);
      // The fields of a search form repeat what was searched.
      const shown = textOf(answer).replace(/<(input|form)[^>]*>/g, '');
      const isRefused = answer.status >= 400 && answer.status < 500;
      expect({ path, fields, isRefused, isShown: shown.includes(mark) }).toEqual({
        ...{ path, fields, isShown: false },
        isRefused: fields ? true : isRefused,
      });
      expect(isRefused || answer.status === 200).toBe(true);
    }
    expect(await theirs()).toEqual(before);
  },
);

it('shows the receipts of the own store, in lists, searches, totals and files', async () => {
  for (const path of [
    ...['/portal/', `/portal/?item=${own}`, `/portal/receipts/${ids.ours}`, `/portal/checks?${range}`],
    ...[`/portal/totals?by=till&${range}`, `/portal/totals.csv?by=till&${range}`],
  ]) {
    expect([path, (await pageOf(path, north)).includes(own)]).toEqual([path, true]);
    const others = path.replace(own, mark).replace(ids.ours, ids.theirs);
    expect([others, (await pageOf(others, everybody)).includes(mark)]).toEqual([others, true]);
  }
  const menu = await pageOf('/portal/', north);
  expect(menu).toContain('href="/portal/totals"');
  for (const path of ['webhooks', 'integration', 'brand', 'mappings', 'packets'])
    expect(menu).not.toContain(`href="/portal/${path}"`);
});

it('takes effect on the next page, also through the group', async () => {
  const user = await portal.user(retailer.api, 'managers');
  const sees = async () => (await portal.get(`/portal/receipts/${ids.ours}`, user)).status;
  expect(await sees()).toBe(200);
  expectStatus(await put(user.email, { stores: ['south'] }), 204);
  expect(await sees()).toBe(404);
  expectStatus(await put(user.email, { stores: null }), 204);
  expect(await sees()).toBe(200);
  expectStatus(await put(user.email, { group: 'southerners' }), 204);
  expect(await sees()).toBe(404);
});

it('lets a manager give a colleague a role and a store', async () => {
  const email = portalAddress();
  const fields = { csrf: everybody.csrf, email, group: 'role:clerk', scope: 'some', stores: 'north' };
  const invited = await portal.submit('/portal/users', fields, everybody.cookie);
  expect(locationOf(invited)).toEqual([303, '/portal/users?done=created']);
  const list = await pageOf('/portal/users', everybody);
  expect(list).toMatch(new RegExp(`${email}[^]*?Clerk[^]*?${own} \\(north\\)`));
  const none = await portal.submit('/portal/users', { ...fields, stores: '' }, everybody.cookie);
  expect(none.status).toBe(409);
  const { body } = await (await operator()).get(`/operator/retailers/${retailer.id}`);
  expect(body).toMatchObject({
    settings: {
      portal_groups: ['managers', 'southerners', 'clerk'],
      portal_permissions: {
        clerk: expect.arrayContaining(['view.get_receipt', 'view.send_receipt']) as unknown,
      },
    },
  });
});

it('lets a store manager invite users for the own store alone', async () => {
  const email = portalAddress();
  const fields = { csrf: north.csrf, email, group: 'southerners', scope: 'some', stores: 'north' };
  // Together with the stores of the group, this user sees none.
  const invited = await portal.submit('/portal/users', { ...fields, group: '' }, north.cookie);
  expect(locationOf(invited)).toEqual([303, '/portal/users?done=created']);
  const list = await pageOf('/portal/users', north);
  expect(list).toContain(email);
  expect(list).not.toContain(everybody.email);
});
