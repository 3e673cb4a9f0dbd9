import { adminContracts, portalUserNotManageable, type Store } from '@receipts/contracts';
import { permissionDenied, ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { PortalUserRecord } from '../../registry-records';
import { postForm, problem, selectField, success } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { redirectTo, type PageReply } from '../../pages/reply';
import { doneText, type DoneTexts } from '../done-text';
import { faultText } from '../fault-text';
import { portalForm } from '../form';
import { pageFor } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';
import { permittedPage } from '../page';
import { checkPermission, type SignedIn } from '../signed-in';
import { checkManages, managePermission, mayManageUser, usersPath } from './grantable';
import { chosenStores, storeChoice } from './store-choice';
import { knownStores } from '../known-stores';
import { groupField, groupOf, statusBadge } from './users';

const statuses = ['active', 'inactive'] as const;
const resetPermission = 'view.reset_portal_user';

const doneTexts: DoneTexts = { saved: 'users.saved', reset: 'users.resetSent', forgotten: 'account.removed' };

/** @throws ServiceError 403, 404 */
async function findUser({ records }: Portal, who: SignedIn, id: string): Promise<PortalUserRecord> {
  const { retailer, call } = who;
  const user = /^\d+$/.test(id)
    ? await records.findUserById(retailer.id, Number(id), deadlineSignal(call))
    : undefined;
  if (!user || user.managedBy !== 'retailer') throw new ServiceError(portalUserNotManageable);
  checkManages(who, user.group);
  if (!mayManageUser(who, user)) throw new ServiceError(portalUserNotManageable);
  return user;
}

function settingsCard(user: PortalUserRecord, known: readonly Store[], who: SignedIn): Html {
  const { t } = who.language;
  if (user.id === who.user.id) return html`<p class="card empty">${t('users.own')}</p>`;
  const options = statuses.map((value) => ({ value, label: t(`status.${value}`) }));
  const inside = html`${groupField(who, user.group)}
    ${selectField({ name: 'status', label: t('state'), value: user.status, options })}
    ${storeChoice(known, user.stores, who)} <button name="action" value="save">${t('save')}</button>`;
  return postForm(`${who.base}${usersPath}/${user.id}`, who.session.csrf, inside, { className: 'card' });
}

function factorCard({ id }: PortalUserRecord, who: SignedIn): Html | false {
  if (id === who.user.id || !who.may(resetPermission)) return false;
  const { t } = who.language;
  return html`<section class="card" aria-labelledby="factor">
    <h2 id="factor">${t('account.factor')}</h2>
    <p>${t('users.factorText')}</p>
    ${postForm(
      `${who.base}${usersPath}/${id}`,
      who.session.csrf,
      html`<button class="danger" name="action" value="forget">${t('account.remove')}</button>`,
    )}
  </section>`;
}

function resetCard({ id, status }: PortalUserRecord, who: SignedIn): Html | false {
  if (status !== 'active' || !who.may(resetPermission)) return false;
  const { t } = who.language;
  return html`<section class="card" aria-labelledby="reset">
    <h2 id="reset">${t('users.reset')}</h2>
    <p>${t('users.resetText')}</p>
    ${postForm(
      `${who.base}${usersPath}/${id}`,
      who.session.csrf,
      html`<button class="quiet" name="action" value="reset">${t('forgotten.send')}</button>`,
    )}
  </section>`;
}

async function userPage(
  deps: Portal,
  who: SignedIn,
  id: string,
  { done, fault }: { readonly done?: string | undefined; readonly fault?: ServiceError },
): Promise<PageReply> {
  const { t } = who.language;
  const user = await findUser(deps, who, id);
  const known = await knownStores(deps, who);
  const hasFactor = (await deps.secondFactors.find(user.email, deadlineSignal(who.call))) !== null;
  const main = html`<p class="crumb"><a href="${who.base}${usersPath}">${t('users.all')}</a></p>
    <h1>${user.email}</h1>
    ${problem(fault && faultText(fault, who.language))} ${success(doneText(doneTexts, done, who.language))}
    <p>${statusBadge(user, who)}</p>
    <div class="bench">
      ${settingsCard(user, known, who)} ${resetCard(user, who)} ${hasFactor && factorCard(user, who)}
    </div>`;
  const path = `${usersPath}/${user.id}`;
  return pageFor(who, { title: user.email, main, menuPath: usersPath, path }, fault?.status);
}

export const portalUser = (deps: Portal): HandlerOf<'portalUser'> =>
  permittedPage(deps, managePermission, async (who, { params, query }) =>
    userPage(deps, who, params.id, { done: query.done }),
  );

export function portalUserForm(deps: Portal): HandlerOf<'portalUserForm'> {
  return (input, call) => {
    const { id } = input.params;
    const { action, group: sent = '', status = 'active' } = input.body;
    return portalForm(deps, input, call, {
      permission: managePermission,
      act: async (who) => {
        const user = await findUser(deps, who, id);
        const params = { email: user.email };
        if (action === 'reset') {
          checkPermission(who, resetPermission);
          await deps.ask(adminContracts.sendPasswordReset, { params }, who.granting);
          return redirectTo(`${usersPath}/${user.id}?done=reset`);
        }
        // Otherwise, somebody at an unlocked screen could remove the second factor without its code.
        if (user.id === who.user.id) {
          throw new ServiceError(permissionDenied, { description: who.language.t('users.own') });
        }
        if (action === 'forget') {
          checkPermission(who, resetPermission);
          await deps.secondFactors.remove(user.email, deadlineSignal(who.call));
          return redirectTo(`${usersPath}/${user.id}?done=forgotten`);
        }
        const stores = chosenStores(input.body, who);
        const group = await groupOf(deps, who, sent);
        const body = { group, status, ...(stores !== undefined && { stores }) };
        await deps.ask(adminContracts.putPortalUser, { params, body }, who.granting);
        return redirectTo(`${usersPath}/${user.id}?done=saved`);
      },
      refused: (who, fault) => userPage(deps, who, id, { fault }),
    });
  };
}
