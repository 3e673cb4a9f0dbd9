import { adminContracts, portalEmailOf } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { PortalUserRecord } from '../../registry/domain/portal-user';
import { field, postForm, problem, selectField, success } from '../../pages/form-fields';
import { html, type Html } from '../../pages/html';
import { olderLink } from '../../pages/older-link';
import { redirectTo } from '../../pages/reply';
import { badge, table } from '../../pages/table';
import { doneText, type DoneTexts } from '../done-text';
import { faultText } from '../fault-text';
import { checked, portalForm } from '../form';
import { pageFor } from '../layout';
import type { Endpoint, Portal } from '../open-portal';
import { portalPage } from '../page';
import { checkPermission, type SignedIn } from '../signed-in';
import {
  checkManages,
  groupPath,
  groupsPath,
  managePermission,
  mayManage,
  permissionsOf,
  usersPath,
} from './grantable';

const pageCount = 100;

const doneTexts: DoneTexts = {
  created: 'users.created',
  'group-saved': 'groups.saved',
  'group-deleted': 'groups.deleted',
};

/** The groups that the user may put others into. */
export function groupField(who: SignedIn, value: string): Html {
  const { t } = who.language;
  const names = ['', ...who.retailer.settings.portal_groups].filter((name) => mayManage(who, name));
  const options = names.map((name) => ({ value: name, label: name || t('users.noGroup') }));
  return selectField({ name: 'group', label: t('users.group'), value, options });
}

export const statusBadge = ({ status }: PortalUserRecord, { language: { t } }: SignedIn): Html =>
  badge(status === 'active' ? 'good' : 'plain', t(`status.${status}`));

function rowOf(user: PortalUserRecord, who: SignedIn): (Html | string)[] {
  const { t } = who.language;
  const { id, email, group, managedBy, password } = user;
  const isManaged = managedBy === 'retailer' && mayManage(who, group);
  const notes = [
    id === who.user.id && t('users.you'),
    managedBy === 'operator' && t('users.operator'),
    password === null && t('users.invited'),
  ].filter((note) => note !== false);
  return [
    html`${isManaged ? html`<a href="${who.base}${usersPath}/${id}">${email}</a>` : email}
      <small>${notes.join(', ')}</small>`,
    group || t('users.noGroup'),
    statusBadge(user, who),
  ];
}

function usersCard(users: readonly PortalUserRecord[], who: SignedIn): Html {
  const { t } = who.language;
  const columns = [t('users.user'), t('users.group'), t('state')];
  const rows = users.map((user) => rowOf(user, who));
  const last = users.length === pageCount ? users.at(-1) : undefined;
  return html`<section class="card" aria-labelledby="users">
    <h2 id="users">${t('users')}</h2>
    ${table('users', columns, rows)}
    ${olderLink(last && `${who.base}${usersPath}?older=${last.id}`, who.language)}
  </section>`;
}

function inviteForm(who: SignedIn): Html {
  const { t } = who.language;
  return html`<section class="card" aria-labelledby="new">
    <h2 id="new">${t('users.new')}</h2>
    ${postForm(
      `${who.base}${usersPath}`,
      who.session.csrf,
      html`${field({ name: 'email', label: t('email'), type: 'email', required: true })}
        ${groupField(who, '')} <button>${t('users.invite')}</button>`,
    )}
  </section>`;
}

function groupsCard(who: SignedIn): Html {
  const { t } = who.language;
  const columns = [t('users.group'), t('clients.permissions')];
  const rows = who.retailer.settings.portal_groups.map((name) => [
    mayManage(who, name) ? html`<a class="id" href="${who.base}${groupPath(name)}">${name}</a>` : name,
    html`${permissionsOf(who, name).map((permission) => html`<code>${permission}</code> `)}`,
  ]);
  return html`<section class="card" aria-labelledby="groups">
    <h2 id="groups">${t('groups')}</h2>
    ${rows.length === 0 ? html`<p class="empty">${t('groups.none')}</p>` : table('groups', columns, rows)}
    <p class="actions"><a class="button quiet" href="${who.base}${groupsPath}">${t('groups.new')}</a></p>
  </section>`;
}

const headOf = (who: SignedIn, notes?: Html) =>
  html`<h1>${who.language.t('menu.users')}</h1>
    <p class="lead">${who.language.t('users.lead')}</p>
    ${notes}`;

async function mainOf({ portalUsers }: Portal, who: SignedIn, older?: number): Promise<Html> {
  checkPermission(who, managePermission);
  const { retailer, call } = who;
  const users = await portalUsers.newest({ retailer: retailer.id }, older, pageCount, deadlineSignal(call));
  return html`${usersCard(users, who)}
    <div class="bench">${inviteForm(who)} ${groupsCard(who)}</div>`;
}

/** The users of the portal, and their groups. */
export const portalUsers = (deps: Portal): Endpoint<'portalUsers'> =>
  portalPage(deps, {
    ...{ title: 'menu.users', place: usersPath },
    form: ({ query: { done } }, who) => headOf(who, success(doneText(doneTexts, done, who.language))),
    result: ({ query }, who) => mainOf(deps, who, query.older),
  });

export function portalCreateUser(deps: Portal): Endpoint<'portalCreateUser'> {
  return (input, call) => {
    const { email, group } = input.body;
    return portalForm(deps, input, call, {
      permission: managePermission,
      act: async (who) => {
        checkManages(who, group);
        const contract = adminContracts.putPortalUser;
        const params = checked(contract.params, { email: email.trim() });
        const known = await deps.portalUsers.find(portalEmailOf(params.email), deadlineSignal(who.call));
        if (known?.retailer === who.retailer.id) {
          throw new ServiceError({ status: 409, description: who.language.t('users.exists') });
        }
        await deps.ask(contract, { params, body: { group, status: 'active' } }, who.granting);
        return redirectTo(`${usersPath}?done=created`);
      },
      refused: async (who, fault) => {
        const notes = problem(faultText(fault, who.language));
        const main = html`${headOf(who, notes)} ${await mainOf(deps, who)}`;
        const title = who.language.t('menu.users');
        return pageFor(who, { title, main, place: usersPath }, fault.status);
      },
    });
  };
}
