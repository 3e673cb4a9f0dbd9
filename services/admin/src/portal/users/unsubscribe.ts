import type { Call } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { html, type Html } from '@receipts/html';
import type { Language } from '../../pages/language';
import { pageReply, type PageReply } from '../../pages/reply';
import { portalUserUpdatedEvent } from '../../registry/domain/events';
import { withNotifications, type PortalUserRecord } from '../../registry/domain/portal-user';
import { openUnsubscribing } from '../../registry/unsubscribing';
import { requestLanguage } from '../language-switch';
import { layout } from '../layout';
import type { Endpoint, Portal } from '../open-portal';

const pathOf = (token: string) => `/portal/unsubscribe/${token}`;

async function userOf(
  { portalUsers, sealer }: Portal,
  token: string,
  call: Call,
): Promise<PortalUserRecord | undefined> {
  const linked = openUnsubscribing(sealer, token);
  return linked && portalUsers.findById(linked.retailer, linked.id, deadlineSignal(call));
}

function pageOf(
  { base }: Portal,
  language: Language,
  token: string,
  content: Html,
  status?: number,
): PageReply {
  const { t } = language;
  const main = html`<div class="card narrow">
    <h1>${t('unsubscribe')}</h1>
    ${content}
    <p><a href="${base}/portal/notifications">${t('unsubscribe.choose')}</a></p>
  </div>`;
  return pageReply(layout({ title: t('unsubscribe'), main, base, language, path: pathOf(token) }), status);
}

const unknownLink = (deps: Portal, language: Language, token: string) =>
  pageOf(deps, language, token, html`<p>${language.t('unsubscribe.unknown')}</p>`, 404);

/** Asks before it changes anything, because mail scanners open every link. */
export function portalUnsubscribePage(deps: Portal): Endpoint<'portalUnsubscribePage'> {
  return async ({ params: { token }, headers }, call) => {
    const language = requestLanguage(deps, headers);
    const user = await userOf(deps, token, call);
    if (!user) return unknownLink(deps, language, token);
    const { t } = language;
    const form = html`<p>${t('unsubscribe.question', { email: user.email })}</p>
      <form method="post" action="${deps.base}${pathOf(token)}">
        <button>${t('unsubscribe.confirm')}</button>
      </form>`;
    return pageOf(deps, language, token, form);
  };
}

/** The token proves that the request comes from the user's mailbox. */
export function portalUnsubscribe(deps: Portal): Endpoint<'portalUnsubscribe'> {
  const { portalUsers, now } = deps;
  return async ({ params: { token }, headers }, call) => {
    const language = requestLanguage(deps, headers);
    const user = await userOf(deps, token, call);
    if (!user) return unknownLink(deps, language, token);
    await portalUsers.change(
      user.retailer,
      user.email,
      (current) => withNotifications(current, null),
      (next) => portalUserUpdatedEvent(next, call, now()),
      { callId: call.id, signal: deadlineSignal(call) },
    );
    return pageOf(deps, language, token, html`<p role="status">${language.t('unsubscribe.done')}</p>`);
  };
}
