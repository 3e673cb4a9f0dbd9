import { deadlineSignal } from '@receipts/storage';
import { html } from '@receipts/html';
import { pageReply, type PageReply } from '../../pages/reply';
import type { HandlerOf, Operations } from '../open-operations';
import { layout } from './layout';
import { signInView } from './sign-in';
import { audited } from './signed-in';

const refusal = (deps: Operations, fault: string, status: number): PageReply =>
  pageReply(signInView(deps, { fault }), status);

/** Sends the browser to the identity provider of the operators. */
export function operationsOidc(deps: Operations): HandlerOf<'operationsOidc'> {
  const { providerSignIn, operatorSignIn } = deps;
  return async () => {
    const provider = operatorSignIn?.identity_provider;
    if (provider === undefined) return refusal(deps, 'There is no identity provider for operators.', 404);
    const reply = await providerSignIn.begin(provider, {});
    return reply ?? refusal(deps, 'The identity provider cannot be reached. Try again later.', 503);
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
export function operationsOidcCallback(deps: Operations): HandlerOf<'operationsOidcCallback'> {
  const { providerSignIn, operatorSessions, operatorCookie, now, log } = deps;
  return async ({ headers, query }, call) => {
    const pending = providerSignIn.pending(headers.cookie);
    if (!pending) return refusal(deps, 'The sign-in has expired. Start again.', 403);
    const operator = (await providerSignIn.confirmedEmail(query, pending))?.toLowerCase();
    if (operator === undefined)
      return refusal(deps, 'The identity provider did not confirm who you are. Try again.', 403);
    const secret = await operatorSessions.beginAs(operator, now(), deadlineSignal(call));
    if (secret === undefined) {
      log.warn('a sign-in to the operations pages was rejected', { requestId: call.requestId });
      return refusal(deps, 'You are not an operator of this platform.', 403);
    }
    const who = { session: { operator, csrf: '' }, call };
    const action = { operation: 'sign-in', path: '/operator/oidc/callback', fields: [] };
    await audited(deps, who, headers, action, () => Promise.resolve());
    const { body, meta } = pageReply(enteringPage(deps.base, operator));
    return providerSignIn.ended({ body, meta: { ...meta, cookies: [operatorCookie.set(secret)] } });
  };
}
