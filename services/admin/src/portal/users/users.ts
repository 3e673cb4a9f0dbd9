import { adminContracts, portalEmailOf, type Store } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { userStores } from '../../registry-records';
import type { PortalUserRecord } from '../../registry-records';
import { field, postForm, problem, selectField, success } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { olderLink } from '../../pages/older-link';
import { redirectTo } from '../../pages/reply';
import { badge, table } from '../../pages/table';
import { doneText, type DoneTexts } from '../done-text';
import { faultText } from '../fault-text';
import { explainedPermissions } from '../permission-list';
import { checked, portalForm } from '../form';
import { pageFor } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';
import { portalPage } from '../page';
import { checkPermission, type SignedIn } from '../signed-in';
import {
  checkManages,
  groupPath,
  groupsPath,
  managePermission,
  mayManage,
  mayManageUser,
  permissionsOf,
  usersPath,
} from './grantable';
import { groupOperations } from './group-operations';
import { groupName, roles } from '../roles';
import { chosenStores, storeChoice, storeName } from './store-choice';
import { knownStores } from '../known-stores';

const pageCount = 100;

const doneTexts: DoneTexts = {
  created: 'users.created',
  'group-saved': 'groups.saved',
  'group-deleted': 'groups.deleted',
};

/** Marks the choice of a role that is not a group yet. */
const rolePrefix = 'role:';

/** The roles that the user may add as groups. */
const newRoles = (who: SignedIn) =>
  who.stores
    ? []
    : Object.entries(roles).filter(
        ([name, permissions]) =>
          !who.retailer.settings.portal_groups.includes(name) && permissions.every(who.may),
      );

/** The groups and roles that the user may put others into. */
export function groupField(who: SignedIn, value: string): Html {
  const { t } = who.language;
  const names = ['', ...who.retailer.settings.portal_groups].filter((name) => mayManage(who, name));
  const options = [
    ...names.map((name) => ({ value: name, label: groupName(name, who.language) || t('users.noGroup') })),
    ...newRoles(who).map(([name]) => ({
      value: `${rolePrefix}${name}`,
      label: groupName(name, who.language),
    })),
  ];
  return selectField({ name: 'group', label: t('users.group'), value, options });
}

export const statusBadge = ({ status }: PortalUserRecord, { language: { t } }: SignedIn): Html =>
  badge(status === 'active' ? 'good' : 'plain', t(`status.${status}`));

const storesText = (
  user: Pick<PortalUserRecord, 'group' | 'stores'>,
  who: SignedIn,
  known: readonly Store[],
) =>
  userStores(user, who.retailer.settings)
    ?.map((reference) => storeName(reference, known))
    .join(', ') ?? who.language.t('stores.all');

function rowOf(user: PortalUserRecord, who: SignedIn, known: readonly Store[]): (Html | string)[] {
  const { t } = who.language;
  const { id, email, group, managedBy, password } = user;
  const notes = [
    id === who.user.id && t('users.you'),
    managedBy === 'operator' && t('users.operator'),
    password === null && t('users.invited'),
  ].filter((note) => note !== false);
  return [
    html`${mayManageUser(who, user) ? html`<a href="${who.base}${usersPath}/${id}">${email}</a>` : email}
      <small>${notes.join(', ')}</small>`,
    groupName(group, who.language) || t('users.noGroup'),
    storesText(user, who, known),
    statusBadge(user, who),
  ];
}

/** A user who is restricted to stores sees only users who are restricted to them too. */
function usersCard(users: readonly PortalUserRecord[], who: SignedIn, known: readonly Store[]): Html {
  const { t } = who.language;
  const columns = [t('users.user'), t('users.group'), t('stores'), t('state')];
  const shown = who.stores ? users.filter((user) => mayManageUser(who, user)) : users;
  const rows = shown.map((user) => rowOf(user, who, known));
  const last = users.length === pageCount ? users.at(-1) : undefined;
  return html`<section class="card" aria-labelledby="users">
    <h2 id="users">${t('users')}</h2>
    ${table('users', columns, rows)}
    ${olderLink(last && `${who.base}${usersPath}?older=${last.id}`, who.language)}
  </section>`;
}

function inviteForm(who: SignedIn, known: readonly Store[]): Html {
  const { t } = who.language;
  return html`<section class="card" aria-labelledby="new">
    <h2 id="new">${t('users.new')}</h2>
    ${postForm(
      `${who.base}${usersPath}`,
      who.session.csrf,
      html`${field({ name: 'email', label: t('email'), type: 'email', required: true })}
        ${groupField(who, '')} ${storeChoice(known, who.stores ? [] : null, who)}
        <button>${t('users.invite')}</button>`,
    )}
  </section>`;
}

/** What permissions allow, in words. */
const inWords = (permissions: readonly string[], { t }: SignedIn['language']): Html =>
  html`<ul class="plain">
    ${explainedPermissions.filter((name) => permissions.includes(name)).map((name) => html`<li>${t(name)}</li>`)}
  </ul>`;

function rolesCard(who: SignedIn): Html | false {
  const { t } = who.language;
  const offered = newRoles(who);
  if (offered.length === 0) return false;
  return html`<section class="card" aria-labelledby="roles">
    <h2 id="roles">${t('roles')}</h2>
    <p class="hint">${t('roles.hint')}</p>
    ${offered.map(
      ([name, permissions]) =>
        html`<details>
          <summary>${groupName(name, who.language)}</summary>
          ${inWords(permissions, who.language)}
        </details>`,
    )}
  </section>`;
}

function groupsCard(who: SignedIn): Html {
  const { t } = who.language;
  const columns = [t('users.group'), t('clients.permissions')];
  const nameOf = (name: string) => groupName(name, who.language);
  const rows = who.retailer.settings.portal_groups.map((name) => [
    mayManage(who, name) && !who.stores
      ? html`<a class="id" href="${who.base}${groupPath(name)}">${nameOf(name)}</a>`
      : nameOf(name),
    inWords(permissionsOf(who, name), who.language),
  ]);
  return html`<section class="card" aria-labelledby="groups">
    <h2 id="groups">${t('groups')}</h2>
    ${rows.length === 0 ? html`<p class="empty">${t('groups.none')}</p>` : table('groups', columns, rows)}
    ${
      !who.stores &&
      html`<p class="actions">
        <a class="button quiet" href="${who.base}${groupsPath}">${t('groups.new')}</a>
      </p>`
    }
  </section>`;
}

const headOf = (who: SignedIn, notes?: Html) =>
  html`<h1>${who.language.t('menu.users')}</h1>
    <p class="lead">${who.language.t('users.lead')}</p>
    ${notes}`;

async function mainOf(deps: Portal, who: SignedIn, older?: number): Promise<Html> {
  checkPermission(who, managePermission);
  const { retailer, call } = who;
  const users = await deps.records.listUsers(retailer.id, { older, count: pageCount }, deadlineSignal(call));
  const known = await knownStores(deps, who);
  return html`${usersCard(users, who, known)}
    <div class="bench">${inviteForm(who, known)} ${groupsCard(who)} ${rolesCard(who)}</div>`;
}

/** The users of the portal, and their groups. */
export const portalUsers = (deps: Portal): HandlerOf<'portalUsers'> =>
  portalPage(deps, {
    title: 'menu.users',
    menuPath: usersPath,
    head: ({ query: { done } }, who) => headOf(who, success(doneText(doneTexts, done, who.language))),
    result: ({ query }, who) => mainOf(deps, who, query.older),
  });

/**
 * The group in a form. A role becomes a group first.
 * @throws ServiceError 403 if the user may not manage it, 409 if the groups have changed meanwhile
 */
export async function groupOf(deps: Portal, who: SignedIn, sent: string): Promise<string> {
  const role = newRoles(who).find(([name]) => sent === `${rolePrefix}${name}`);
  if (!role) {
    // The role may have become a group since the form was shown.
    const { portal_groups: groups } = who.retailer.settings;
    const group = Object.keys(roles).find((name) => sent === `${rolePrefix}${name}` && groups.includes(name));
    checkManages(who, group ?? sent);
    return group ?? sent;
  }
  const [name, permissions] = role;
  const patch = {
    params: { id: who.retailer.id },
    headers: {},
    contentType: 'application/json-patch+json',
    body: groupOperations(who, 'create', { name, permissions }),
  };
  await deps.ask(adminContracts.patchRetailer, patch, who.call);
  return name;
}

export function portalCreateUser(deps: Portal): HandlerOf<'portalCreateUser'> {
  return (input, call) => {
    const { email, group: sent } = input.body;
    return portalForm(deps, input, call, {
      permission: managePermission,
      act: async (who) => {
        const contract = adminContracts.putPortalUser;
        const params = checked(contract.params, { email: email.trim() });
        const stores = chosenStores(input.body, who);
        const known = await deps.records.findUser(portalEmailOf(params.email), deadlineSignal(who.call));
        if (known?.retailer === who.retailer.id) {
          throw new ServiceError({ status: 409, description: who.language.t('users.exists') });
        }
        const group = await groupOf(deps, who, sent);
        const body = { group, status: 'active' as const, ...(stores !== undefined && { stores }) };
        await deps.ask(contract, { params, body }, who.granting);
        return redirectTo(`${usersPath}?done=created`);
      },
      refused: async (who, fault) => {
        const notes = problem(faultText(fault, who.language));
        const main = html`${headOf(who, notes)} ${await mainOf(deps, who)}`;
        const title = who.language.t('menu.users');
        return pageFor(who, { title, main, menuPath: usersPath }, fault.status);
      },
    });
  };
}
