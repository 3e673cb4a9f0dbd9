import { html, type Html } from '@receipts/html';
import type { Language } from '../../pages/language';
import { pageReply, type PageReply } from '../../pages/reply';
import { requestLanguage } from '../language-switch';
import { layout } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';

const pathOf = (token: string) => `/portal/unsubscribe/${token}`;

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
export function portalUnsubscribePage(deps: Portal): HandlerOf<'portalUnsubscribePage'> {
  return async ({ params: { token }, headers }, call) => {
    const language = requestLanguage(deps, headers);
    const user = await deps.records.findUserByUnsubscribing(token, call);
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
export function portalUnsubscribe(deps: Portal): HandlerOf<'portalUnsubscribe'> {
  return async ({ params: { token }, headers }, call) => {
    const language = requestLanguage(deps, headers);
    const user = await deps.records.findUserByUnsubscribing(token, call);
    if (!user) return unknownLink(deps, language, token);
    await deps.records.setNotifications(user, null, call);
    return pageOf(deps, language, token, html`<p role="status">${language.t('unsubscribe.done')}</p>`);
  };
}
