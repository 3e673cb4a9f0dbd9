import { portalEmailOf } from '@receipts/contracts';
import type { Call } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { problem } from '../../pages/form-fields';
import { html } from '@receipts/html';
import type { Language, MessageKey } from '../../pages/language';
import { IdentityFault, type PendingSignIn } from '../../pages/oidc/identity-providers';
import { pageReply, redirectTo, type PageReply } from '../../pages/reply';
import { openStep, sealStep } from '../../pages/sealed-step';
import { beginSession } from './begin-session';
import { requestLanguage } from '../language-switch';
import { layout } from '../layout';
import type { Endpoint, Portal } from '../open-portal';

const purpose = 'oidc';
const stepMs = 10 * 60_000;
const callbackPath = '/portal/oidc/callback';

interface Step extends PendingSignIn {
  readonly retailer: string;
  readonly next?: string | undefined;
}

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
  { records, identityProviders }: Portal,
  retailerId: string,
  call: Call,
): Promise<string | undefined> {
  const retailer = await records.findRetailer(retailerId, deadlineSignal(call));
  const provider = retailer?.settings.portal_sign_in.identity_provider ?? undefined;
  return provider !== undefined && identityProviders.has(provider) ? provider : undefined;
}

/** Sends the browser to the retailer's identity provider. */
export function portalOidc(deps: Portal): Endpoint<'portalOidc'> {
  const { identityProviders, oidcCookie, sealer, publicUrl, now, log } = deps;
  return async ({ headers, query: { retailer = '', next } }, call) => {
    const language = requestLanguage(deps, headers);
    const provider = await providerOf(deps, retailer, call);
    if (provider === undefined) return refusal(deps, language, 'signIn.noProvider', 404);
    try {
      const { address, pending } = await identityProviders.begin(provider, publicUrl + callbackPath);
      const step: Step = { ...pending, retailer, next };
      return redirectTo(address, [oidcCookie.set(sealStep(sealer, purpose, step, now().getTime() + stepMs))]);
    } catch (error) {
      if (!(error instanceof IdentityFault)) throw error;
      log.warn('a sign-in by an identity provider failed', { provider, error });
      return refusal(deps, language, 'signIn.providerAway', 503);
    }
  };
}

/** Signs in the person whom the identity provider names, if that is a user of the retailer. */
export function portalOidcCallback(deps: Portal): Endpoint<'portalOidcCallback'> {
  const { identityProviders, oidcCookie, records, sealer, publicUrl, now, log } = deps;
  return async ({ headers, query }, call) => {
    const language = requestLanguage(deps, headers);
    const step = openStep<Step>(sealer, purpose, oidcCookie.read(headers.cookie) ?? '', now().getTime());
    if (!step) return redirectTo('/portal/sign-in?done=expired');
    try {
      const email = portalEmailOf(await identityProviders.finish(query, publicUrl + callbackPath, step));
      const signal = deadlineSignal(call);
      const user = await records.findUser(email, signal);
      // The retailer may have changed its provider meanwhile.
      const isStillProvider = (await providerOf(deps, step.retailer, call)) === step.provider;
      if (!isStillProvider || user?.retailer !== step.retailer || user.status !== 'active')
        return refusal(deps, language, 'signIn.noUser', 403);
      const { body, meta } = await beginSession(deps, user, step.next, signal);
      return { body, meta: { ...meta, cookies: [...(meta.cookies ?? []), oidcCookie.clear()] } };
    } catch (error) {
      if (!(error instanceof IdentityFault)) throw error;
      log.warn('a sign-in by an identity provider failed', { provider: step.provider, error });
      return refusal(deps, language, 'signIn.refused', 403);
    }
  };
}
