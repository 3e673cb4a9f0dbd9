import {
  failingChecksPercentDefault,
  notificationPermissions,
  notificationTypes,
  postedNotifications,
  type NotificationType,
  type Store,
} from '@receipts/contracts';
import { ServiceError, type Call } from '@receipts/kernel';
import { choice, field, postForm, problem, success } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { refusalIn } from '../../pages/refusal';
import { redirectTo, type PageReply } from '../../pages/reply';
import { checkForm, checkSameSite } from '../../pages/same-site';
import { doneText, type DoneTexts } from '../done-text';
import { faultText } from '../fault-text';
import { checked } from '../form';
import { pageFor } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';
import { signedIn, type SignedIn } from '../signed-in';
import { chosenStores, storeChoice } from './store-choice';
import { knownStores } from '../known-stores';

const notificationsPath = '/portal/notifications';
const doneTexts: DoneTexts = { saved: 'notifications.saved' };

function typeChoice(type: NotificationType, isChosen: boolean, { language: { t } }: SignedIn): Html {
  const texts = { label: t(`notifications.${type}`), note: t(`notifications.${type}.hint`) };
  return choice({ name: 'types', value: type, isChosen, ...texts });
}

function choiceForm(known: readonly Store[], who: SignedIn): Html {
  const { t } = who.language;
  const { notifications } = who.user;
  const offered = notificationTypes.filter((type) => who.may(notificationPermissions[type]));
  if (offered.length === 0) return html`<p class="card empty">${t('notifications.none')}</p>`;
  const percent = notifications?.failing_checks_percent ?? failingChecksPercentDefault;
  const inside = html`<fieldset>
      <legend>${t('notifications.types')}</legend>
      ${offered.map((type) => typeChoice(type, notifications?.types.includes(type) ?? false, who))}
    </fieldset>
    ${offered.includes('failing_checks') && field({ name: 'percent', label: t('notifications.percent'), value: String(percent), pattern: '[1-9]\\d?|100' })}
    ${storeChoice(known, notifications?.stores ?? null, who, t('notifications.allStores'))}
    <p class="hint">${t('notifications.storm')}</p>
    <button>${t('save')}</button>`;
  return postForm(`${who.base}${notificationsPath}`, who.session.csrf, inside, { className: 'card' });
}

async function page(
  deps: Portal,
  who: SignedIn,
  { done, fault }: { readonly done?: string | undefined; readonly fault?: ServiceError },
): Promise<PageReply> {
  const { t } = who.language;
  const main = html`<h1>${t('menu.notifications')}</h1>
    <p class="lead">${t('notifications.lead', { email: who.user.email })}</p>
    ${problem(fault && faultText(fault, who.language))} ${success(doneText(doneTexts, done, who.language))}
    ${choiceForm(await knownStores(deps, who), who)}`;
  return pageFor(who, { title: t('menu.notifications'), main, menuPath: notificationsPath }, fault?.status);
}

/** The e-mails about the business that the signed-in user gets. */
export function portalNotifications(deps: Portal): HandlerOf<'portalNotifications'> {
  return async ({ headers, query: { done } }, call) => {
    const who = await signedIn(deps, headers, call);
    return who ? page(deps, who, { done }) : redirectTo('/portal/sign-in');
  };
}

type NotificationFields = Parameters<HandlerOf<'portalNotificationsForm'>>[0]['body'];

/** @throws ServiceError 422 */
function percentIn({ percent = '' }: NotificationFields, { language: { t } }: SignedIn): number {
  const number = Number(percent || failingChecksPercentDefault);
  if (Number.isInteger(number) && number >= 1 && number <= 100) return number;
  throw new ServiceError({ status: 422, description: t('notifications.percentFault') });
}

async function save({ records }: Portal, who: SignedIn, sent: NotificationFields, call: Call): Promise<void> {
  const posted = checked(postedNotifications, {
    types: [sent.types ?? []].flat(),
    stores: chosenStores(sent, who) ?? null,
    failing_checks_percent: percentIn(sent, who),
    language: who.language.code,
  });
  await records.setNotifications(who.user, posted, call);
}

/** Needs no permission: users choose for themselves, and get only what they may see. */
export function portalNotificationsForm(deps: Portal): HandlerOf<'portalNotificationsForm'> {
  return async ({ headers, body }, call) => {
    checkSameSite(headers);
    const who = await signedIn(deps, headers, call);
    if (!who) return redirectTo('/portal/sign-in');
    checkForm(who.session, body.csrf);
    try {
      await save(deps, who, body, call);
    } catch (error) {
      return page(deps, who, { fault: refusalIn(error) });
    }
    return redirectTo(`${notificationsPath}?done=saved`);
  };
}
