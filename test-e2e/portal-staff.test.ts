import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { mailsTo } from './harness/mails';
import { locationOf, portalAddress, PortalVisitor, textOf, type PortalUser } from './harness/portal-visitor';
import { uniqueId } from './harness/receipts';
import { aRetailer, operator } from './harness/shared-platform';

const users = '/portal/users';
const groups = '/portal/groups';

let portal: PortalVisitor;
let retailer: TestRetailer;
let manager: PortalUser;
let lead: PortalUser;

beforeAll(async () => {
  const settings = {
    portal_groups: ['managers', 'leads', 'clerks'],
    portal_permissions: {
      managers: ['view.*'],
      leads: ['view.get_receipt', 'view.search_receipt', 'view.send_receipt', 'view.put_portal_user'],
      clerks: ['view.get_receipt'],
    },
  };
  portal = new PortalVisitor();
  retailer = await aRetailer(settings);
  manager = await portal.user(retailer.api, 'managers');
  lead = await portal.user(retailer.api, 'leads');
});

const post = (path: string, who: PortalUser, fields: Record<string, string>) =>
  portal.submit(path, { csrf: who.csrf, ...fields }, who.cookie);
const pageOf = async (path: string, who: PortalUser) => textOf(await portal.get(path, who));

/** The path of a user's page. */
async function pathOf(email: string, who = manager): Promise<string> {
  const list = await pageOf(users, who);
  return new RegExp(`href="(${users}/\\d+)">${email}<`).exec(list)?.[1] ?? '';
}

/** A new user with a path that the manager can open. */
async function invited(group = 'clerks', who = manager): Promise<{ email: string; path: string }> {
  const email = portalAddress();
  expect(locationOf(await post(users, who, { email, group }))).toEqual([303, `${users}?done=created`]);
  return { email, path: await pathOf(email) };
}

it('invites a user by e-mail, and changes and disables the user', async () => {
  const { email, path } = await invited();
  await until('the invitation', () => mailsTo(email).length === 1);
  expect(await pageOf(users, manager)).toContain('has no password yet');
  expect((await post(users, manager, { email: email.toUpperCase(), group: 'clerks' })).status).toBe(409);
  expect((await post(users, manager, { email: 'nobody', group: 'clerks' })).status).toBe(422);
  const saved = await post(path, manager, { action: 'save', group: 'leads', status: 'inactive' });
  expect(locationOf(saved)).toEqual([303, `${path}?done=saved`]);
  const page = await pageOf(`${path}?done=saved`, manager);
  for (const text of ['The user was saved.', '>inactive<']) expect(page).toContain(text);
  expect(page).toMatch(/value="leads" selected/);
});

it('sends a link for a new password', async () => {
  const { email, path } = await invited();
  // Otherwise, the new link might replace that of an invitation that has not left yet.
  await until('the invitation', () => mailsTo(email).length === 1);
  expect(locationOf(await post(path, manager, { action: 'reset' }))).toEqual([303, `${path}?done=reset`]);
  await until('the link', () => mailsTo(email).length === 2);
  expect((await post(path, lead, { action: 'reset' })).status).toBe(403);
});

it('lets users manage only users with no more permissions than their own', async () => {
  const { path: clerk } = await invited('clerks', lead);
  const { path: boss } = await invited('managers');
  const list = await pageOf(users, lead);
  expect([list.includes(`href="${clerk}"`), list.includes(`href="${boss}"`)]).toEqual([true, false]);
  expect(list).not.toContain('<option value="managers"');
  const save = { action: 'save', group: 'clerks', status: 'inactive' };
  expect((await portal.get(boss, lead)).status).toBe(403);
  expect((await post(boss, lead, save)).status).toBe(403);
  expect((await post(clerk, lead, { ...save, group: 'managers' })).status).toBe(403);
  expect((await post(users, lead, { email: portalAddress(), group: 'managers' })).status).toBe(403);
  expect((await portal.get(`${groups}?group=managers`, lead)).status).toBe(403);
  const group = { action: 'save', group: 'clerks', permissions: 'view.delete_receipt' };
  expect((await post(groups, lead, group)).status).toBe(403);
  expect(
    (await post(groups, lead, { ...group, group: 'managers', permissions: 'view.get_receipt' })).status,
  ).toBe(403);
});

it('does not let users delete a group if its users would gain permissions beyond their own', async () => {
  const settings = {
    portal_groups: ['leads', 'cleaners'],
    portal_permissions: { leads: ['view.put_portal_user'], cleaners: [] },
  };
  const { api } = await aRetailer(settings);
  const who = await portal.user(api, 'leads');
  expect((await post(groups, who, { action: 'delete', group: 'cleaners' })).status).toBe(403);
});

it('keeps users from locking themselves out', async () => {
  const own = await pathOf(manager.email);
  expect(await pageOf(own, manager)).toContain('You cannot change your own group or state.');
  expect((await post(own, manager, { action: 'save', group: '', status: 'inactive' })).status).toBe(403);
  expect((await post(groups, manager, { action: 'delete', group: 'managers' })).status).toBe(403);
});

it('creates, changes and deletes groups, which take effect immediately', async () => {
  const name = `till & <b>floor</b> ${uniqueId('g')}`;
  const permission = (group: string) => `${groups}?${new URLSearchParams({ group }).toString()}`;
  const create = { action: 'create', group: name, permissions: 'view.get_report' };
  expect(locationOf(await post(groups, manager, create))).toEqual([303, `${users}?done=group-saved`]);
  expect((await post(groups, manager, create)).status).toBe(409);
  expect((await post(groups, manager, { ...create, group: ' ' })).status).toBe(422);
  expect(await pageOf(users, manager)).not.toContain('<b>floor');
  expect(await pageOf(permission(name), manager)).toMatch(/value="view.get_report"\s+checked/);
  const member = await portal.user(retailer.api, name);
  const opens = async (path: string) => (await portal.get(path, member)).status;
  expect([await opens('/portal/totals'), await opens('/portal/webhooks')]).toEqual([200, 403]);
  await post(groups, manager, { action: 'save', group: name, permissions: 'view.manage_webhook' });
  expect([await opens('/portal/totals'), await opens('/portal/webhooks')]).toEqual([403, 200]);
  expect(locationOf(await post(groups, manager, { action: 'delete', group: name }))).toEqual([
    303,
    `${users}?done=group-deleted`,
  ]);
  expect([await opens('/portal/webhooks'), await opens('/portal/')]).toEqual([403, 200]);
  expect((await portal.get(permission(name), manager)).status).toBe(404);
  expect((await post(groups, manager, { action: 'save', group: name })).status).toBe(404);
});

it("shows the operator's users, but cannot manage them or users of other retailers", async () => {
  const email = portalAddress();
  const client = await operator();
  await client.put(`/operator/retailers/${retailer.id}/portal/user/${email}`, {
    group: '',
    status: 'active',
  });
  expect(await pageOf(users, manager)).toContain('managed by the operator');
  expect(await pathOf(email)).toBe('');
  const other = await aRetailer({
    portal_groups: ['managers'],
    portal_permissions: { managers: ['view.*'] },
  });
  const stranger = await portal.user(other.api, 'managers');
  const { email: ours, path } = await invited();
  expect(await pageOf(users, stranger)).not.toContain(ours);
  const { id } = /(?<id>\d+)$/.exec(path)?.groups ?? {};
  for (const each of [path, `${users}/999${id}`, `${users}/x`]) {
    expect((await portal.get(each, stranger)).status).toBe(404);
    expect((await post(each, stranger, { action: 'save', group: '', status: 'inactive' })).status).toBe(404);
  }
});

it('requires the permission', async () => {
  const clerk = await portal.user(retailer.api, 'clerks');
  for (const path of [users, groups]) expect((await portal.get(path, clerk)).status).toBe(403);
  const sent = await post(users, clerk, { email: portalAddress(), group: '' });
  expect([sent.status, (await post(groups, clerk, { action: 'create', group: 'x' })).status]).toEqual([
    403, 403,
  ]);
});
