import { adminContracts, type Store } from '@receipts/contracts';
import { permissionDenied, ServiceError } from '@receipts/kernel';
import { field, postForm, problem } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { redirectTo, type PageReply } from '../../pages/reply';
import { faultText } from '../fault-text';
import { groupStores } from '../../registry-records';
import { portalForm } from '../form';
import { pageFor } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';
import { permittedPage } from '../page';
import { explainedPermissions, permissionChoices } from '../permission-list';
import type { SignedIn } from '../signed-in';
import {
  checkManages,
  checkManagesGroups,
  groupPath,
  groupsPath,
  managePermission,
  permissionsOf,
  usersPath,
} from './grantable';
import { groupOperations, type GroupChange } from './group-operations';
import { groupName } from '../roles';
import { chosenStores, storeChoice } from './store-choice';
import { knownStores } from '../known-stores';

/** A group as shown in its form. */
interface Draft extends GroupChange {
  /** Undefined for a new group. */
  readonly stored?: string | undefined;
}

function deleteForm(name: string, who: SignedIn): Html {
  const { t } = who.language;
  const inside = html`<input type="hidden" name="group" value="${name}" />
    <button class="danger" name="action" value="delete">${t('groups.deleteButton')}</button>`;
  return html`<details class="card">
    <summary>${t('webhook.delete')}</summary>
    <p>${t('groups.deleteText')}</p>
    ${postForm(`${who.base}${groupsPath}`, who.session.csrf, inside)}
  </details>`;
}

/** Offers only the permissions that the user holds, because nobody can grant more. */
function groupForm(
  { stored, name, permissions, stores = null }: Draft,
  known: readonly Store[],
  who: SignedIn,
): Html {
  const { t } = who.language;
  const offered = explainedPermissions.filter(who.may);
  const nameField =
    stored === undefined
      ? field({ name: 'group', label: t('clients.name'), value: name, required: true })
      : html`<input type="hidden" name="group" value="${stored}" />`;
  const action = stored === undefined ? 'create' : 'save';
  const inside = html`${nameField} ${storeChoice(known, stores, who)}
    ${permissionChoices(offered, who.language, permissions)}
    <button name="action" value="${action}">${t(stored === undefined ? 'clients.create' : 'save')}</button>`;
  return postForm(`${who.base}${groupsPath}`, who.session.csrf, inside, { className: 'card' });
}

async function groupPage(
  deps: Portal,
  who: SignedIn,
  draft: Draft,
  fault?: ServiceError,
): Promise<PageReply> {
  const { language } = who;
  const { t } = language;
  const { stored } = draft;
  const title = stored === undefined ? t('groups.new') : groupName(stored, language);
  const known = await knownStores(deps, who);
  const isOwn = stored !== undefined && stored === who.user.group;
  const main = html`<p class="crumb"><a href="${who.base}${usersPath}">${t('users.all')}</a></p>
    <h1>${title}</h1>
    ${problem(fault && faultText(fault, language))}
    ${isOwn ? html`<p class="card empty">${t('groups.own')}</p>` : groupForm(draft, known, who)}
    ${stored !== undefined && !isOwn && deleteForm(stored, who)}`;
  const path = stored === undefined ? groupsPath : groupPath(stored);
  return pageFor(who, { title, main, menuPath: usersPath, path }, fault?.status);
}

/** @throws ServiceError 404 */
function checkExists({ retailer, language }: SignedIn, name: string): void {
  if (retailer.settings.portal_groups.includes(name)) return;
  throw new ServiceError({ status: 404, code: 'not_found', description: language.t('groups.missing') });
}

export const portalGroup = (deps: Portal): HandlerOf<'portalGroup'> =>
  permittedPage(deps, managePermission, async (who, { query: { group } }) => {
    checkManagesGroups(who);
    if (group === undefined) return groupPage(deps, who, { name: '', permissions: [] });
    checkExists(who, group);
    checkManages(who, group);
    const permissions = permissionsOf(who, group);
    const stores = groupStores(group, who.retailer.settings);
    return groupPage(deps, who, { stored: group, name: group, permissions, stores });
  });

/** @throws ServiceError 403, 404, 409 */
function checkAction(who: SignedIn, action: string, name: string, permissions: readonly string[]): void {
  const { language, retailer, user } = who;
  const { t } = language;
  if (action === 'create') {
    if (retailer.settings.portal_groups.includes(name)) {
      throw new ServiceError({ status: 409, description: t('groups.exists') });
    }
  } else {
    checkExists(who, name);
    // Without the group, its users have the permissions of users without a group.
    checkManages(who, name, ...(action === 'delete' ? [''] : []));
    if (name === user.group) throw new ServiceError(permissionDenied, { description: t('groups.own') });
  }
  if (permissions.every((permission) => who.may(permission))) return;
  throw new ServiceError(permissionDenied, { description: t('users.notGranted') });
}

/** The ticked stores of a form that was rejected. */
function sentStores({
  scope,
  stores = [],
}: {
  scope?: string | undefined;
  stores?: string | string[] | undefined;
}) {
  return scope === 'some' ? [stores].flat() : null;
}

export function portalGroupForm(deps: Portal): HandlerOf<'portalGroupForm'> {
  return (input, call) => {
    const { action, permissions: sent = [] } = input.body;
    const permissions = [sent].flat();
    const name = input.body.group.trim();
    return portalForm(deps, input, call, {
      permission: managePermission,
      act: async (who) => {
        checkManagesGroups(who);
        checkAction(who, action, name, permissions);
        const stores = chosenStores(input.body, who);
        const patch = {
          params: { id: who.retailer.id },
          headers: {},
          contentType: 'application/json-patch+json',
          body: groupOperations(who, action, { name, permissions, stores }),
        };
        await deps.ask(adminContracts.patchRetailer, patch, who.call);
        return redirectTo(`${usersPath}?done=group-${action === 'delete' ? 'deleted' : 'saved'}`);
      },
      refused: async (who, fault) => {
        const isStored = action !== 'create' && who.retailer.settings.portal_groups.includes(name);
        const draft = { stored: isStored ? name : undefined, name, permissions };
        return groupPage(deps, who, { ...draft, stores: sentStores(input.body) }, fault);
      },
    });
  };
}
