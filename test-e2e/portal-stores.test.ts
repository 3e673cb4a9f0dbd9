import { adminPages } from '@receipts/contracts';
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
/** Has saved a search. */
let colleague: PortalUser;
/** May do everything, but only in the store `north`. */
let north: PortalUser;
/** `returned` is a return of `ours` in the other store, by a customer whose address is known. */
let ids: Readonly<Record<'ours' | 'theirs' | 'returned' | 'packet', string>>;
const customer = portalAddress();

const put = (email: string, body: object) =>
  retailer.api.put(`/portal/user/${email}`, { group: 'managers', status: 'active', ...body });

async function post(store: string, name: string, change: object = {}): Promise<string> {
  const receipt = {
    transaction_id: `${name}-${store}`,
    store_reference: store,
    till_uuid: name,
    total: 12,
    localtime: `${day}T12:00:00`,
    items: [
      { name, quantity: 1, total: 10 },
      { name: 'quince', quantity: 1, total: 1 },
    ],
    ...change,
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
  colleague = await portal.user(retailer.api, 'managers');
  north = await portal.user(retailer.api, 'managers');
  expectStatus(await put(north.email, { stores: ['north'] }), 204);
  expectStatus(await put(`${mark}@demo.example`, { stores: ['south'] }), 201);
  const packet = await retailer.api.call('/pos/receipts', {
    method: 'POST',
    headers: { 'content-type': 'text/plain', 'service-store-reference': 'south' },
    body: mark,
  });
  expectStatus(packet, 202);
  const ours = await post('north', own);
  const change = {
    transaction_id: `${mark}-back`,
    identifier: customer,
    related: [{ type: 'return', id: ours }],
  };
  ids = {
    ours,
    theirs: await post('south', mark),
    returned: await post('south', mark, change),
    packet: (packet.headers.location ?? '').replace('/receipts/', ''),
  };
  const saved = { csrf: colleague.csrf, action: 'save', name: mark, address: 'store=south' };
  expectStatus(await portal.submit('/portal/searches', saved, colleague.cookie), 303);
  await until('the totals', async () =>
    (await pageOf(`/portal/totals?by=store&${range}`, everybody)).includes('south'),
  );
});

const pageOf = async (path: string, who: PortalUser) => textOf(await portal.get(path, who));

type Fields = Readonly<Record<string, string>>;

/**
 * Searches that find the other store's receipts for users who may see them. None contains the whole mark, because pages
 * repeat what was searched.
 */
const searches: readonly string[] = [
  '',
  'store=south',
  'mark=check',
  'sort=arrived',
  'least=12&most=12',
  range,
  ...[
    'theirs',
    'quince',
    '+items.name:quince',
    '+items.name:quinze~',
    '+transaction_id:theirs*',
    '+external_store_reference:south',
    customer,
  ].map((query) => new URLSearchParams({ query }).toString()),
];
const searched = (path: string) => searches.map((search) => `${path}?${search}`);

/** A form for one of the other store's receipts. */
const onTheirs =
  (form: string, ...all: readonly Fields[]) =>
  () =>
    [ids.theirs, ids.returned].flatMap((id) =>
      all.map((fields) => [`/portal/receipts/${id}/${form}`, fields] as const),
    );

/**
 * For each page and form, the requests with which a user could reach the receipts of another store. Undefined for pages
 * that do not depend on who is signed in.
 */
const attempts: Readonly<
  Record<string, (() => readonly (string | readonly [string, Fields])[]) | undefined>
> = {
  portalHome: () => searched('/portal/'),
  portalStart: () => ['/portal/start'],
  portalUnknown: () => ['/portal/nowhere'],
  portalReceiptsCsv: () => searched('/portal/receipts.csv'),
  portalSearches: () => [
    ['/portal/searches', { action: 'delete', name: mark }],
    ['/portal/searches', { action: 'save', name: 'South', address: 'store=south' }],
  ],
  portalSendReceipts: () => [
    ['/portal/receipts/send', { ids: ids.returned }],
    ['/portal/receipts/send', { ids: `${ids.theirs},${ids.returned}` }],
  ],
  portalSentReceipts: () =>
    ['', `&rejected=${ids.returned}~receipt_voided`].map(
      (rejected) => `/portal/receipts/sent?ids=${ids.theirs},${ids.returned}${rejected}`,
    ),
  // The page of a sale lists its returns.
  portalReceipt: () => [ids.theirs, ids.returned, ids.ours].map((id) => `/portal/receipts/${id}`),
  portalSend: onTheirs('send', { email: 'thief@demo.example' }, { email: '' }),
  portalAssign: onTheirs('assign', { identifier: 'thief', confirmed: 'yes' }, { identifier: 'thief' }),
  portalGift: onTheirs('gift', {}),
  portalUnassign: onTheirs('unassign', { identifier: customer }),
  portalReceiptAction: onTheirs(
    'actions',
    ...['void', 'erase', 'delete'].flatMap((action) => [{ action }, { action, confirmed: 'true' }]),
    { action: 'note', text: 'stolen' },
  ),
  portalReturnPage: () => [ids.theirs, ids.returned].map((id) => `/portal/receipts/${id}/return`),
  portalReturn: onTheirs(
    'return',
    { quantities: '1', method: 'cash', transaction_id: 'stolen' },
    { quantities: '1', method: 'cash', transaction_id: 'stolen', confirmed: 'true' },
  ),
  portalChecks: () =>
    ['', '&store=south', `&till=${mark}`].map((filter) => `/portal/checks?${range}${filter}`),
  portalTills: () => ['', '&store=south'].map((filter) => `/portal/tills?${range}${filter}`),
  portalTotals: () =>
    ['', '&store=south', '&by=till', '&by=store'].map((filter) => `/portal/totals?${range}${filter}`),
  portalTotalsCsv: () =>
    ['', '&store=south', '&by=till', '&by=store'].map((filter) => `/portal/totals.csv?${range}${filter}`),
  portalPackets: () => ['/portal/packets'],
  portalReprocess: () => [
    ['/portal/packets', { packet: ids.packet }],
    ['/portal/packets', {}],
  ],
  portalReprocessPackets: () => [['/portal/packets/reprocess', { ids: ids.packet }]],
  portalReprocessedPackets: () => [`/portal/packets/reprocessed?ids=${ids.packet}`],
  portalMappings: () => ['/portal/mappings'],
  portalWorkbench: () => [`/portal/mappings/workbench?packet=${ids.packet}`],
  portalTryMapping: () => [['/portal/mappings/workbench', { action: 'try', packet: ids.packet }]],
  portalBrand: () => ['/portal/brand'],
  portalBrandForm: () => [
    [
      '/portal/brand',
      { action: 'save', name: 'theirs', logo: '', colour: '', header: '', footer: '', links: '' },
    ],
  ],
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
  portalNotifications: () => ['/portal/notifications'],
  portalNotificationsForm: () => [
    ['/portal/notifications', { types: 'daily_totals', scope: 'some', stores: 'south' }],
  ],
  portalUnsubscribePage: undefined,
  portalUnsubscribe: undefined,
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

const routes = Object.entries(adminPages as Readonly<Record<string, Contract>>).filter(([, { http }]) =>
  http?.path.startsWith('/portal'),
);

it('knows every page and form of the portal', () => {
  expect(Object.keys(attempts).sort()).toEqual(routes.map(([name]) => name).sort());
});

/**
 * Accepted from everybody: they concern the user's own searches and e-mails, or leave out receipts that the user may not
 * see.
 */
const acceptedForms: readonly string[] = ['portalSearches', 'portalSendReceipts', 'portalNotificationsForm'];

/** The forms that may contain a file. */
const uploads = routes
  .filter(([, { body }]) => body && 'kind' in body && body.kind === 'bytes')
  .map(([name]) => name);

/** All that must not change: receipts with their deliveries, history and notes, and a colleague's searches. */
const theirs = async () => {
  const pages = [ids.theirs, ids.returned].map((id) => pageOf(`/portal/receipts/${id}`, everybody));
  const receipts = [ids.theirs, ids.returned].map((id) => retailer.api.get(`/receipts/${id}`));
  const [saved] = /<nav class="saved"[^]*?<\/nav>/.exec(await pageOf('/portal/', colleague)) ?? [];
  expect(saved).toContain(mark);
  return [saved, await Promise.all(pages), (await Promise.all(receipts)).map(({ body }) => body as unknown)];
};

/** Follows the redirect of an accepted form. */
async function outcomeOf(name: string, path: string, fields: Fields | undefined) {
  if (!fields) return portal.get(path, north);
  const answer = uploads.includes(name)
    ? await portal.upload(path, fields, north)
    : await portal.submit(path, { csrf: north.csrf, ...fields }, north.cookie);
  return answer.status === 303 ? portal.get(answer.headers.location ?? '', north) : answer;
}

it.each(Object.entries(attempts).filter(([, requests]) => requests))(
  '%s neither shows nor changes what belongs to other stores',
  async (name, requests) => {
    const before = await theirs();
    for (const request of requests?.() ?? []) {
      const [path, fields] = typeof request === 'string' ? [request] : request;
      const answer = await outcomeOf(name, path, fields);
      // The fields of a search form repeat what was searched.
      const shown = textOf(answer).replace(/<(input|form)[^>]*>/g, '');
      const isRefused = answer.status >= 400 && answer.status < 500;
      expect({ path, fields, isRefused, isShown: shown.includes(mark) }).toEqual({
        path,
        fields,
        isShown: false,
        isRefused: fields ? !acceptedForms.includes(name) : isRefused,
      });
      expect(isRefused || answer.status === 200).toBe(true);
    }
    expect(await theirs()).toEqual(before);
  },
);

it('finds the receipts of the other store for a user who may see them', async () => {
  for (const path of [...searched('/portal/'), ...searched('/portal/receipts.csv')])
    expect([path, (await pageOf(path, everybody)).includes(mark)]).toEqual([path, true]);
});

it('shows the receipts of the own store, in lists, searches, totals and files', async () => {
  for (const path of [
    '/portal/',
    '/portal/?query=quince',
    '/portal/?store=north',
    '/portal/receipts.csv?query=quince',
    `/portal/receipts/${ids.ours}`,
    `/portal/checks?${range}`,
    `/portal/tills?${range}`,
    `/portal/totals?by=till&${range}`,
    `/portal/totals.csv?by=till&${range}`,
  ]) {
    expect([path, (await pageOf(path, north)).includes(own)]).toEqual([path, true]);
    const others = path.replace('north', 'south').replace(ids.ours, ids.theirs);
    expect([others, (await pageOf(others, everybody)).includes(mark)]).toEqual([others, true]);
  }
  expect(await pageOf(`/portal/receipts/${ids.ours}`, everybody)).toContain(`${mark}-back`);
  const menu = await pageOf('/portal/', north);
  expect(menu).toContain('href="/portal/totals"');
  for (const path of ['webhooks', 'integration', 'brand', 'mappings', 'packets'])
    expect(menu).not.toContain(`href="/portal/${path}"`);
});

it('links to related receipts of the own store alone', async () => {
  const sold = await post('north', `${own}-sale`);
  const related = [
    { type: 'return', transaction_id: `${own}-sale-north` },
    { type: 'correction', transaction_id: `${mark}-south` },
    { type: 'correction', id: ids.returned },
  ];
  const id = await post('north', `${own}-return`, { related });
  const linkedIn = (page: string) =>
    [sold, ids.theirs, ids.returned].filter((known) => page.includes(`href="/portal/receipts/${known}"`));
  expect(linkedIn(await pageOf(`/portal/receipts/${id}`, everybody))).toEqual([
    sold,
    ids.theirs,
    ids.returned,
  ]);
  const shown = await pageOf(`/portal/receipts/${id}`, north);
  expect(linkedIn(shown)).toEqual([sold]);
  // The number was posted with the receipt of the own store, like its items.
  expect(shown).toContain(`${mark}-south`);
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

it('lets a manager give a colleague a role and a store, and another role later', async () => {
  const email = portalAddress();
  const fields = { csrf: everybody.csrf, email, group: 'role:clerk', scope: 'some', stores: 'north' };
  const invited = await portal.submit('/portal/users', fields, everybody.cookie);
  expect(locationOf(invited)).toEqual([303, '/portal/users?done=created']);
  const list = await pageOf('/portal/users', everybody);
  expect(list).toMatch(new RegExp(`${email}[^]*?Clerk[^]*?${own} \\(north\\)`));
  const none = await portal.submit('/portal/users', { ...fields, stores: '' }, everybody.cookie);
  expect(none.status).toBe(409);
  // The form was opened before the role became a group.
  const second = await portal.submit(
    '/portal/users',
    { ...fields, email: portalAddress() },
    everybody.cookie,
  );
  expect(locationOf(second)).toEqual([303, '/portal/users?done=created']);
  const path = new RegExp(`href="(/portal/users/\\d+)">${email}<`).exec(list)?.[1] ?? '';
  const changed = { csrf: everybody.csrf, action: 'save', group: 'role:auditor', scope: 'all' };
  const saved = await portal.submit(path, changed, everybody.cookie);
  expect(locationOf(saved)).toEqual([303, `${path}?done=saved`]);
  expect(await pageOf('/portal/users', everybody)).toMatch(new RegExp(`${email}[^]*?Auditor`));
  const { body } = await (await operator()).get(`/operator/retailers/${retailer.id}`);
  expect(body).toMatchObject({
    settings: {
      portal_groups: ['managers', 'southerners', 'clerk', 'auditor'],
      portal_permissions: {
        clerk: expect.arrayContaining(['view.get_receipt', 'view.send_receipt']) as unknown,
      },
    },
  });
});

it('lets a store manager return and void in the own store', async () => {
  const id = await post('north', `${own}-sold`, { transaction_id: uniqueId('N'), total: 11 });
  const path = `/portal/receipts/${id}`;
  expect(await pageOf(path, north)).toContain(`href="${path}/return"`);
  const form = (action: string, fields: Fields) =>
    portal.submit(`${path}/${action}`, { csrf: north.csrf, ...fields }, north.cookie);
  const number = uniqueId('R');
  const fields = { quantities: '1', method: 'cash', transaction_id: number, confirmed: 'true' };
  const returned = await form('return', fields);
  expect(locationOf(returned)).toEqual([
    303,
    expect.stringMatching(/^\/portal\/receipts\/\w+\?done=returned$/),
  ]);
  expect(await pageOf(path, north)).toContain(number);
  expect((await form('actions', { action: 'void', confirmed: 'true' })).status).toBe(303);
  expect((await retailer.api.get(`/receipts/${id}`)).body).toMatchObject({ voided: { reason: null } });
  // Erasing a consumer reaches the receipts of all stores.
  expect((await form('actions', { action: 'erase', confirmed: 'true' })).status).toBe(403);
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
