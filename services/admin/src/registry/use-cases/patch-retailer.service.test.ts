import { ServiceError } from '@receipts/kernel';
import { defaultRetailerSettings } from '@receipts/contracts';
import { adminWorld, operatorCall, refusalOf, type AdminWorld } from '../../testing/admin-world';

let world: AdminWorld;

beforeAll(async () => {
  world = await adminWorld();
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const create = (body: object, call = operatorCall()) =>
  world.ask('createRetailer', { body: body as never }, call);
const acme = { id: 'acme', name: 'Acme', vatno: 'FR1', settings: { timezone: 'Europe/Paris' } };
const completed = { ...acme, settings: { ...defaultRetailerSettings, timezone: 'Europe/Paris' } };

describe('createRetailer', () => {
  it('completes the settings with their defaults', async () => {
    const { body, meta } = await create(acme);
    expect(body).toEqual(completed);
    expect(meta).toEqual({ id: 'acme', etag: '"1"' });
    const { body: read } = await world.ask('getRetailer', { params: { id: 'acme' } }, operatorCall());
    expect(read).toEqual(completed);
    expect(world.events).toHaveLength(1);
    expect(world.events[0]).toMatchObject({
      type: 'retailer.updated',
      retailer: 'acme',
      source: '/retailers/acme/settings',
      subject: 'acme',
      data: { ...completed, version: 1 },
    });
  });

  it('has the specified defaults', () => {
    expect(defaultRetailerSettings).toEqual({
      timezone: 'UTC',
      currency: 'EUR',
      locale: 'en_GB',
      response_links: false,
      stores: { from_receipt: false, require_known: false },
      channels: {
        email: { enabled: true, from: null, reply_to: null, attach_pdf: true },
        sms: { enabled: false, account: null, from: null },
        whatsapp: { enabled: false, account: null, from: null },
      },
      auto_send: false,
      checks: { event: false },
      tills: { silent_after_minutes: null },
      cors: { origins: [] },
      portal_groups: [],
      portal_permissions: {},
      portal_sign_in: { identity_provider: null },
      portal_stores: {},
      cards: { enabled: false, check: 'none' },
      loyalty: [],
      dynamic_fields: { receipt: {}, item: {} },
      search_default_operator: 'or',
      brand: {
        name: null,
        logo: null,
        colour: null,
        header: null,
        footer: null,
        links: [],
        translations: {},
      },
      retention_days: null,
      event_days: 30,
      personal_properties: [],
    });
  });

  it('creates a retailer once', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => create(acme)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await refusalOf(create(acme))).toBe('409 retailer_exists');
  });

  it('reports every error in the settings', async () => {
    const settings = {
      timezone: 'Mars/Base',
      currency: 'XX',
      portal_groups: ['a', 'a'],
      channels: { email: { from: 'no address' }, fax: {} },
      loyalty: [
        { id: 1, name: 'a', rule: { spend: 0, value: 1, name: 'r' } },
        { id: 1, name: 'b', rule: { spend: 1, value: 1, name: 'r' } },
      ],
      dynamic_fields: { receipt: { 'a.b': 'exact' }, item: { c: 'colour' } },
      brand: { logo: 'javascript:alert(1)' },
      cors: {
        origins: [
          'https://shop.example',
          'http://localhost:3000',
          'https://shop.example/',
          'https://Shop.example',
          'https://shop.example:443',
          '*',
          'null',
          'ftp://shop.example',
        ],
      },
    };
    const refusal = await refusalOf(create({ id: 'X', name: '', settings }));
    const [status, code, ...paths] = refusal.split(' ');
    expect(`${status} ${code}`).toBe('422 schema_validation_failed');
    expect(paths.sort()).toEqual([
      '/id',
      '/name',
      '/settings/brand/logo',
      '/settings/channels/email/from',
      '/settings/channels/fax',
      '/settings/cors/origins/2',
      '/settings/cors/origins/3',
      '/settings/cors/origins/4',
      '/settings/cors/origins/5',
      '/settings/cors/origins/6',
      '/settings/cors/origins/7',
      '/settings/currency',
      '/settings/dynamic_fields/item/c',
      '/settings/dynamic_fields/receipt/a.b',
      '/settings/loyalty',
      '/settings/loyalty/0/rule/spend',
      '/settings/portal_groups',
      '/settings/timezone',
    ]);
  });
});

describe('browseRetailers', () => {
  it('lists pages from the newest to the oldest', async () => {
    for (const id of ['aa', 'cc', 'bb']) await create({ id, name: id });
    const browse = async (query: { count?: number; older?: string }) =>
      (await world.ask('browseRetailers', { query }, operatorCall())).body;
    const first = await browse({ count: 2 });
    expect(first.retailers.map(({ id }) => id)).toEqual(['bb', 'cc']);
    expect(first._links.next?.href).toBe('/operator/retailers?count=2&older=cc');
    expect((await browse({ count: 2, older: 'cc' })).retailers.map(({ id }) => id)).toEqual(['aa']);
    expect(await refusalOf(browse({ older: 'zz' }))).toBe('400 unknown_cursor /older');
  });
});

const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';

describe('patchRetailer', () => {
  beforeEach(async () => {
    await create(acme);
    world.events.length = 0;
  });
  const patch = (body: unknown, contentType = jsonPatch, headers = {}, id = 'acme') =>
    world.ask('patchRetailer', { params: { id }, body: body as never, contentType, headers }, operatorCall());
  const settings = async () =>
    (await world.ask('getRetailer', { params: { id: 'acme' } }, operatorCall())).body.settings;

  it('publishes one event with the patched retailer, and returns its version', async () => {
    const { body, meta } = await patch([
      { op: 'test', path: '/id', value: 'acme' },
      { op: 'replace', path: '/settings/cards', value: { enabled: true } },
      { op: 'add', path: '/settings/portal_groups/-', value: 'managers' },
      { op: 'remove', path: '/vatno' },
    ]);
    expect(body).toMatchObject({ vatno: null, settings: { cards: { enabled: true, check: 'none' } } });
    expect(meta).toEqual({ etag: '"2"' });
    expect(world.events).toHaveLength(1);
    expect(world.events[0]).toMatchObject({ type: 'retailer.updated', sequence: 2, data: body });
  });

  it('resets removed settings to their defaults', async () => {
    await patch([{ op: 'remove', path: '/settings/timezone' }]);
    expect(await settings()).toEqual(defaultRetailerSettings);
  });

  it.each<[string, unknown, string, string]>([
    ['the id', [{ op: 'replace', path: '/id', value: 'x' }], jsonPatch, '422 field_not_modifiable'],
    ['the id in a merge patch', { id: 'other' }, mergePatch, '422 field_not_modifiable'],
    ['a body that is not a patch', {}, jsonPatch, '400 malformed_patch'],
    ['a list as a merge patch', [], mergePatch, '422 schema_validation_failed '],
    ['the name', { name: null }, mergePatch, '422 schema_validation_failed /name'],
    [
      'bad settings',
      { settings: { locale: 1, stores: { x: 1 } } },
      mergePatch,
      '422 schema_validation_failed /settings/locale /settings/stores/x',
    ],
    ['a failed test', [{ op: 'test', path: '/name', value: 'x' }], jsonPatch, '409 patch_test_failed'],
  ])('rejects %s', async (_what, body, type, refusal) => {
    expect(await refusalOf(patch(body, type))).toBe(refusal);
    expect(await settings()).toEqual(completed.settings);
    expect(world.events).toHaveLength(0);
  });

  it('stores languages in one form, whatever case they are written in', async () => {
    const translations = async () => (await settings()).brand.translations;
    const texts = { header: 'Merci !', footer: null, links: null };
    await patch(
      { settings: { locale: 'fr-ca', brand: { translations: { FR: texts, 'PT-br': texts } } } },
      mergePatch,
    );
    expect((await settings()).locale).toBe('fr_CA');
    expect(await translations()).toEqual({ fr: texts, 'pt-BR': texts });
    await patch({ settings: { brand: { translations: { Fr: { header: 'Bonjour' } } } } }, mergePatch);
    expect(await translations()).toEqual({ fr: { ...texts, header: 'Bonjour' }, 'pt-BR': texts });
    await patch({ settings: { brand: { translations: { fR: null } } } }, mergePatch);
    expect(await translations()).toEqual({ 'pt-BR': texts });
    await patch([{ op: 'add', path: '/settings/brand/translations/DE', value: texts }]);
    expect(await translations()).toEqual({ de: texts, 'pt-BR': texts });
  });

  it.each([
    [{ de: {}, DE: {} }, '/DE'],
    [{ 'en-1': {} }, '/en-1'],
    [{ deutsch: {} }, '/deutsch'],
  ])('rejects the languages of %j', async (translations, path) => {
    const refusal = `422 schema_validation_failed /settings/brand/translations${path}`;
    expect(await refusalOf(patch({ settings: { brand: { translations } } }, mergePatch))).toBe(refusal);
    const value = { ...defaultRetailerSettings.brand, translations };
    expect(await refusalOf(patch([{ op: 'add', path: '/settings/brand', value }]))).toBe(refusal);
  });

  it('changes nothing for an empty patch, and respects If-Match', async () => {
    expect((await patch({}, mergePatch)).meta).toEqual({ etag: '"1"' });
    expect(world.events).toHaveLength(0);
    expect(await refusalOf(patch({ name: 'x' }, mergePatch, { 'if-match': '"7"' }))).toBe(
      '412 precondition_failed',
    );
    expect(await refusalOf(patch({}, mergePatch, {}, 'nobody'))).toBe('404 not_found');
  });
});

describe('a change of dynamic fields', () => {
  const fields = { receipt: { colour: 'exact', size: 'integer' }, item: { fit: 'exact' } };
  beforeEach(async () => {
    await create({ ...acme, settings: { dynamic_fields: fields } });
    world.events.length = 0;
  });
  const set = (dynamicFields: object | null, force?: boolean) =>
    world.ask(
      'patchRetailer',
      {
        params: { id: 'acme' },
        headers: {},
        contentType: mergePatch,
        ...(force !== undefined && { query: { force } }),
        body: { settings: { dynamic_fields: dynamicFields } } as never,
      },
      operatorCall(),
    );
  const inUse = async (change: Promise<unknown>) => {
    const error = await change.catch((refusal: unknown) => refusal);
    return error instanceof ServiceError ? { code: error.code, status: error.status, ...error.extra } : error;
  };

  it.each<[string, object | null]>([
    ['the removal of a field', { receipt: { colour: null } }],
    ['another type', { item: { fit: 'partial' } }],
    ['the removal of all fields', null],
  ])('is rejected if a filter becomes invalid, and names its endpoint: %s', async (_what, change) => {
    world.invalidated = ['e1', 'e2'];
    expect(await inUse(set(change))).toEqual({
      status: 409,
      code: 'setting_in_use',
      used_by: [
        { type: 'webhook_endpoint', id: 'e1' },
        { type: 'webhook_endpoint', id: 'e2' },
      ],
    });
    expect(await inUse(set(change, false))).toMatchObject({ code: 'setting_in_use' });
    expect(world.events).toEqual([]);
    expect((await set(change, true)).body.settings.dynamic_fields).not.toEqual(fields);
  });

  it('is made if no filter becomes invalid, or if it only adds fields', async () => {
    expect((await set({ receipt: { colour: null } })).body.settings.dynamic_fields.receipt).toEqual({
      size: 'integer',
    });
    world.invalidated = ['e1'];
    await set({ item: { more: 'date' } });
    expect(world.events).toHaveLength(2);
  });
});

describe('listRetailers and findRetailer', () => {
  it('return complete settings and the version to services', async () => {
    await create(acme);
    await create({ id: 'bb', name: 'B' });
    const page = (await world.ask('listRetailers', { body: { count: 10 } })).body;
    expect(page).toEqual({
      retailers: [
        { ...completed, version: 1 },
        { id: 'bb', name: 'B', vatno: null, settings: defaultRetailerSettings, version: 1 },
      ],
      next: null,
    });
    const find = async (id: string) => (await world.ask('findRetailer', { body: { id } })).body.retailer;
    expect(await find('acme')).toEqual({ ...completed, version: 1 });
    expect(await find('nobody')).toBeNull();
  });
});
