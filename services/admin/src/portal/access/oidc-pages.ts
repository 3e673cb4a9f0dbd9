import { portalEmailOf } from '@receipts/contracts';
import type { Call } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { problem } from '../../pages/form-fields';
import { html } from '@receipts/html';
import type { Language, MessageKey } from '../../pages/language';
import { pageReply, redirectTo, type PageReply } from '../../pages/reply';
import { beginSession } from './begin-session';
import { requestLanguage } from '../language-switch';
import { layout } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';

function refusal({ base }: Portal, language: Language, fault: MessageKey, status: number): PageReply {
  const { t } = language;
  const main = html`<div class="card narrow">
    <h1>${t('signIn')}</h1>
    ${problem(t(fault))}
    <p><a class="button" href="${base}/portal/sign-in">${t('signIn.instead')}</a></p>
  </div>`;
  return pageReply(layout({ title: t('signIn'), main, base, language, path: '/portal/sign-in' }), status);
}

/** The name of a retailer's identity provider; undefined if it has none. */
export async function providerOf(
  { records, providerSignIn }: Portal,
  retailerId: string,
  call: Call,
): Promise<string | undefined> {
  const retailer = await records.findRetailer(retailerId, deadlineSignal(call));
  const provider = retailer?.settings.portal_sign_in.identity_provider ?? undefined;
  return provider !== undefined && providerSignIn.has(provider) ? provider : undefined;
}

/** Sends the browser to the retailer's identity provider. */
export function portalOidc(deps: Portal): HandlerOf<'portalOidc'> {
  return async ({ headers, query: { retailer = '', next } }, call) => {
    const language = requestLanguage(deps, headers);
    const provider = await providerOf(deps, retailer, call);
    if (provider === undefined) return refusal(deps, language, 'signIn.noProvider', 404);
    const reply = await deps.providerSignIn.begin(provider, { retailer, next });
    return reply ?? refusal(deps, language, 'signIn.providerAway', 503);
  };
}

/** Signs in the person whom the identity provider names, if that is a user of the retailer. */
export function portalOidcCallback(deps: Portal): HandlerOf<'portalOidcCallback'> {
  const { providerSignIn, records } = deps;
  return async ({ headers, query }, call) => {
    const language = requestLanguage(deps, headers);
    const pending = providerSignIn.pending(headers.cookie);
    if (!pending) return redirectTo('/portal/sign-in?done=expired');
    const email = await providerSignIn.confirmedEmail(query, pending);
    if (email === undefined) return refusal(deps, language, 'signIn.refused', 403);
    const signal = deadlineSignal(call);
    const user = await records.findUser(portalEmailOf(email), signal);
    // The retailer may have changed its provider meanwhile.
    const isStillProvider = (await providerOf(deps, pending.retailer, call)) === pending.provider;
    if (!isStillProvider || user?.retailer !== pending.retailer || user.status !== 'active')
      return refusal(deps, language, 'signIn.noUser', 403);
    return providerSignIn.ended(await beginSession(deps, user, pending.next, signal));
  };
}
