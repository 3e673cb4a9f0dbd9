import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import type { HttpResponse } from './harness/http';
import { mailsTo } from './harness/mails';
import { uniqueId } from './harness/receipts';
import { anonymous, aRetailer, operator as asOperator } from './harness/shared-platform';

let retailer: TestRetailer;
let other: TestRetailer;

beforeAll(async () => {
  const settings = { portal_groups: ['managers', 'clerks'] };
  [retailer, other] = await Promise.all([aRetailer(settings), aRetailer(settings)]);
});

const anAddress = () => `${uniqueId('user').toLowerCase()}@demo.example`;
const pathOf = (email: string) => `/portal/user/${encodeURIComponent(email)}`;
const put = (email: string, body: unknown = {}, api = retailer.api) =>
  api.put(pathOf(email), { group: 'clerks', status: 'active', ...(body as object) });
const reset = (email: string, api = retailer.api) =>
  api.call(`${pathOf(email)}/_send_password_reset`, { method: 'PATCH' });
const expectError = (answer: HttpResponse, status: number, code: string) =>
  expect([answer.status, answer.body.code]).toEqual([status, code]);

const mailed = (email: string, count: number) =>
  until(`${count} e-mails to ${email}`, () => mailsTo(email).length >= count);

describe('PUT /portal/user/{email}', () => {
  it('creates with 201 and updates with 204, both without a body', async () => {
    const email = anAddress();
    const created = await put(email);
    expect([created.status, created.bytes.length]).toEqual([201, 0]);
    const updated = await put(email.toUpperCase(), { group: 'managers', status: 'inactive' });
    expect([updated.status, updated.bytes.length]).toEqual([204, 0]);
  });

  it('mails the new user a link once, and only on request', async () => {
    const [invited, silent] = [anAddress(), anAddress()];
    expect((await put(silent, { send_password_reset_on_create: false })).status).toBe(201);
    expect((await put(silent, { status: 'inactive', send_password_reset_on_create: true })).status).toBe(204);
    expect((await put(invited)).status).toBe(201);
    await mailed(invited, 1);
    expect(mailsTo(invited)[0]).toMatch(/\/portal\/password\?token=[0-9a-f-]{36}\./);
    expect(mailsTo(silent)).toEqual([]);
  });

  it.each([
    ['group missing', { group: undefined }, '/group'],
    ['a group that is not configured', { group: 'kings' }, '/group'],
    ['a group in another case', { group: 'Clerks' }, '/group'],
    ['null as a group', { group: null }, '/group'],
    ['status missing', { status: undefined }, '/status'],
    ['an unknown status', { status: 'Active' }, '/status'],
    ['a flag that is a string', { send_password_reset_on_create: 'no' }, '/send_password_reset_on_create'],
    ['an unknown field', { role: 'king' }, '/role'],
  ])('returns 400 and names the field for %s', async (_what, body, fault) => {
    const answer = await put(anAddress(), body);
    expectError(answer, 400, 'invalid_portal_user');
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toEqual([fault]);
  });

  it('returns 400 for a body that is not JSON, and 415 for another media type', async () => {
    const path = pathOf(anAddress());
    const headers = { 'content-type': 'application/json' };
    expectError(await retailer.api.call(path, { method: 'PUT', body: '{', headers }), 400, 'malformed_body');
    const text = { 'content-type': 'text/plain' };
    const answer = await retailer.api.call(path, { method: 'PUT', body: '{}', headers: text });
    expectError(answer, 415, 'unsupported_media_type');
  });

  it('treats an empty group as no group', async () => {
    expect((await put(anAddress(), { group: '' })).status).toBe(201);
  });

  it.each([
    'jo',
    'jo@demo',
    '@demo.example',
    'jo @demo.example',
    'jo@demo.example\r\nBcc: al@demo.example',
    'jo@demo.example,al@demo.example',
    '"jo"@demo.example',
    '<jo@demo.example>',
    'jo\u202e@demo.example',
    `${'a'.repeat(250)}@demo.example`,
  ])('returns 400 for the address %j', async (email) => {
    const answer = await put(email);
    expectError(answer, 400, 'invalid_parameter');
    expect(answer.body.errors[0].path).toBe('/email');
  });

  it('accepts addresses with non-ASCII letters, apostrophes and plus signs', async () => {
    for (const email of [`jö.${anAddress()}`, `o'neil+a.${anAddress()}`]) {
      expect((await put(email)).status).toBe(201);
      expect((await put(email, { status: 'inactive' })).status).toBe(204);
    }
  });

  it("does not manage another retailer's user in any way", async () => {
    const email = anAddress();
    await put(email);
    expectError(await put(email, {}, other.api), 404, 'not_found');
    expectError(await put(email.toUpperCase(), {}, other.api), 404, 'not_found');
    expectError(await reset(email, other.api), 404, 'not_found');
  });

  it('creates the user for exactly one of many concurrent requests', async () => {
    const email = anAddress();
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => put(email)))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([201, ...Array.from({ length: 9 }, () => 204)]);
  });

  it('lets a client manage only users whose group may do no more than the client', async () => {
    const settings = {
      portal_groups: ['managers', 'clerks'],
      portal_permissions: { managers: ['view.*'], clerks: ['view.get_receipt'] },
    };
    const { api, clientWith } = await aRetailer(settings);
    const weak = await clientWith({
      permissions: ['view.put_portal_user', 'view.reset_portal_user', 'view.get_receipt'],
    });
    const [manager, clerk] = [anAddress(), anAddress()];
    await put(manager, { group: 'managers' }, api);
    expect((await put(clerk, { group: 'clerks' }, weak)).status).toBe(201);
    for (const answer of [
      await put(anAddress(), { group: 'managers' }, weak),
      await put(clerk, { group: 'managers' }, weak),
      await put(manager, { group: 'clerks' }, weak),
      await put(manager, { group: 'managers', status: 'inactive' }, weak),
      await reset(manager, weak),
    ]) {
      expectError(answer, 403, 'permission_denied');
      expect(answer.body.description).toContain('view.*');
    }
    const ungrouped = await put(anAddress(), { group: '' }, weak);
    expectError(ungrouped, 403, 'permission_denied');
    expect(ungrouped.body.description).toContain('view.search_receipt');
    expect((await reset(clerk, weak)).status).toBe(204);
    expect((await put(clerk, { group: 'clerks', status: 'inactive' }, weak)).status).toBe(204);
  });

  it('requires its permission and the right method', async () => {
    const weak = await retailer.clientWith({ permissions: ['view.reset_portal_user'] });
    expectError(await put(anAddress(), {}, weak), 403, 'permission_denied');
    expectError(await put(anAddress(), {}, await anonymous()), 401, 'unauthorized');
    const answer = await retailer.api.get(pathOf(anAddress()));
    expectError(answer, 405, 'method_not_allowed');
    expect(answer.headers.allow).toBe('PUT');
  });
});

describe('PATCH /portal/user/{email}/_send_password_reset', () => {
  it('returns 204 and mails a link, at most three times an hour per address', async () => {
    const email = anAddress();
    await put(email);
    for (let i = 0; i < 3; i++) {
      const answer = await reset(i === 0 ? email.toUpperCase() : email);
      expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
    }
    const refused = await reset(email);
    expectError(refused, 429, 'rate_limited');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
    // The invitation may already have been replaced when delivery requested its link.
    await mailed(email, 1);
    const mails = mailsTo(email);
    expect(new Set(mails).size).toBe(mails.length);
  });

  it('returns 404 for other users', async () => {
    expectError(await reset(anAddress()), 404, 'not_found');
  });

  it('requires its permission', async () => {
    const weak = await retailer.clientWith({ permissions: ['view.put_portal_user'] });
    expectError(await reset(anAddress(), weak), 403, 'permission_denied');
  });
});

describe('PUT /operator/retailers/{id}/portal/user/{email}', () => {
  it("creates a user that the retailer's API cannot change", async () => {
    const [operator, email] = [await asOperator(), anAddress()];
    const asked = (id: string, body: object = {}) =>
      operator.put(`/operator/retailers/${id}/portal/user/${email}`, {
        group: 'managers',
        status: 'active',
        ...body,
      });
    expect((await asked(retailer.id)).status).toBe(201);
    expect((await asked(retailer.id, { group: '' })).status).toBe(204);
    expectError(await put(email), 404, 'not_found');
    expectError(await reset(email), 404, 'not_found');
    expectError(await asked(retailer.id, { group: 'kings' }), 400, 'invalid_portal_user');
    expectError(await asked('no-such-retailer'), 404, 'not_found');
    await mailed(email, 1);
  });
});
