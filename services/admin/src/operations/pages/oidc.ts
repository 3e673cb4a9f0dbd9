import { deadlineSignal } from '@receipts/storage';
import { html } from '@receipts/html';
import { IdentityFault, type PendingSignIn } from '../../pages/oidc/identity-providers';
import { openStep, sealStep } from '../../pages/sealed-step';
import { pageReply, redirectTo, type PageReply } from '../../pages/reply';
import type { Endpoint, Operations } from '../open-operations';
import { layout } from './layout';
import { signInView } from './sign-in';
import { audited } from './signed-in';

const purpose = 'operator-oidc';
const stepMs = 10 * 60_000;
const callbackPath = '/operator/oidc/callback';

const refusal = (deps: Operations, fault: string, status: number): PageReply =>
  pageReply(signInView(deps, { fault }), status);

/** Sends the browser to the identity provider of the operators. */
export function operationsOidc(deps: Operations): Endpoint<'operationsOidc'> {
  const { identityProviders, operatorSignIn, oidcCookie, sealer, publicUrl, now, log } = deps;
  return async () => {
    const provider = operatorSignIn?.identity_provider;
    if (provider === undefined) return refusal(deps, 'There is no identity provider for operators.', 404);
    try {
      const { address, pending } = await identityProviders.begin(provider, publicUrl + callbackPath);
      const step = sealStep<PendingSignIn>(sealer, purpose, pending, now().getTime() + stepMs);
      return redirectTo(address, [oidcCookie.set(step)]);
    } catch (error) {
      if (!(error instanceof IdentityFault)) throw error;
      log.warn('a sign-in to the operations pages failed', { provider, error });
      return refusal(deps, 'The identity provider cannot be reached. Try again later.', 503);
    }
  };
}

/**
 * The browser does not send the session's cookie on its way back from another site, so a page of our own opens the
 * next page.
 */
function enteringPage(base: string, operator: string) {
  const main = html`<div class="card narrow">
    <h1>Signed in</h1>
    <p>You are signed in as ${operator}.</p>
    <p><a class="button" href="${base}/operator/">Continue</a></p>
    <meta http-equiv="refresh" content="0; url=${base}/operator/" />
  </div>`;
  return layout({ title: 'Signed in', main, base });
}

/** Signs in the person whom the identity provider names, if that is an operator. */
export function operationsOidcCallback(deps: Operations): Endpoint<'operationsOidcCallback'> {
  const { identityProviders, operatorSessions, operatorCookie, oidcCookie, sealer, publicUrl, now, log } =
    deps;
  return async ({ headers, query }, call) => {
    const kept = oidcCookie.read(headers.cookie) ?? '';
    const step = openStep<PendingSignIn>(sealer, purpose, kept, now().getTime());
    if (!step) return refusal(deps, 'The sign-in has expired. Start again.', 403);
    try {
      const operator = (await identityProviders.finish(query, publicUrl + callbackPath, step)).toLowerCase();
      const secret = await operatorSessions.beginAs(operator, now(), deadlineSignal(call));
      if (secret === undefined) {
        log.warn('a sign-in to the operations pages was rejected', { requestId: call.requestId });
        return refusal(deps, 'You are not an operator of this platform.', 403);
      }
      const who = { session: { operator, csrf: '' }, call };
      const action = { operation: 'sign-in', path: callbackPath, fields: [] };
      await audited(deps, who, headers, action, () => Promise.resolve());
      const { body, meta } = pageReply(enteringPage(deps.base, operator));
      return { body, meta: { ...meta, cookies: [operatorCookie.set(secret), oidcCookie.clear()] } };
    } catch (error) {
      if (!(error instanceof IdentityFault)) throw error;
      log.warn('a sign-in to the operations pages failed', { provider: step.provider, error });
      return refusal(deps, 'The identity provider did not confirm who you are. Try again.', 403);
    }
  };
}
