import { deadlineSignal } from '@receipts/storage';
import { field, problem, success } from '../../pages/form-fields';
import { html } from '@receipts/html';
import { redirectTo, pageReply } from '../../pages/reply';
import { checkForm, checkSameSite } from '../../pages/same-site';
import { layout } from './layout';
import { audited, signedIn } from './signed-in';
import type { HandlerOf, Operations } from '../open-operations';

const nextPath = /^\/operator\/(pages\/[a-z-]{1,30})?$/;
const doneTexts = new Map([
  ['out', 'You are signed out.'],
  ['everywhere', 'All sessions are signed out.'],
]);

interface SignInState {
  readonly next?: string | undefined;
  readonly done?: string | undefined;
  readonly fault?: string;
}

export function signInView(
  { base, operatorSignIn }: Pick<Operations, 'base' | 'operatorSignIn'>,
  { next, done, fault }: SignInState,
) {
  const main = html`<div class="card narrow">
    <h1>Operations</h1>
    <p class="lead">For the operators of this platform.</p>
    ${problem(fault)} ${success(doneTexts.get(done ?? ''))}
    <form method="post" action="${base}/operator/sign-in">
      ${next !== undefined && html`<input type="hidden" name="next" value="${next}" />`}
      ${field({
        name: 'token',
        label: "The operator's token",
        type: 'password',
        autocomplete: 'current-password',
        hint: 'The audit log names the operator to whom the token belongs.',
        required: true,
      })}
      <button>Sign in</button>
    </form>
    ${
      operatorSignIn !== undefined &&
      html`<p><a class="button quiet" href="${base}/operator/oidc">Sign in with your organisation</a></p>`
    }
  </div>`;
  return layout({ title: 'Sign in', main, base });
}

export function operationsSignInPage(deps: Operations): HandlerOf<'operationsSignInPage'> {
  return async ({ query, headers }, call) =>
    (await signedIn(deps, headers, call))
      ? redirectTo('/operator/')
      : pageReply(signInView(deps, { next: query.next, done: query.done }));
}

export function operationsSignIn(deps: Operations): HandlerOf<'operationsSignIn'> {
  const { operatorSessions, operatorCookie, log, now } = deps;
  return async ({ headers, body }, call) => {
    checkSameSite(headers);
    const begun = await operatorSessions.begin(body.token.trim(), now(), deadlineSignal(call));
    if (!begun) {
      log.warn('a sign-in to the operations pages was rejected', { requestId: call.requestId });
      const fault = 'The token is wrong.';
      return pageReply(signInView(deps, { next: body.next, fault }), 403);
    }
    const { operator, secret } = begun;
    const who = { session: { operator, csrf: '' }, call };
    const action = { operation: 'sign-in', path: '/operator/sign-in', fields: [] };
    await audited(deps, who, headers, action, () => Promise.resolve());
    const next = body.next !== undefined && nextPath.test(body.next) ? body.next : '/operator/';
    return redirectTo(next, [operatorCookie.set(secret)]);
  };
}

export function operationsSignOut(deps: Operations): HandlerOf<'operationsSignOut'> {
  const { operatorSessions, operatorCookie } = deps;
  return async ({ headers, body }, call) => {
    checkSameSite(headers);
    const who = await signedIn(deps, headers, call);
    const secret = operatorCookie.read(headers.cookie);
    const isEverywhere = body.everywhere !== undefined;
    if (who && secret !== undefined) {
      checkForm(who.session, body.csrf);
      const signal = deadlineSignal(call);
      const end = () =>
        isEverywhere ? operatorSessions.endAll(signal) : operatorSessions.end(secret, signal);
      const operation = isEverywhere ? 'sign-everybody-out' : 'sign-out';
      await audited(deps, who, headers, { operation, path: '/operator/sign-out', fields: [] }, end);
    }
    return redirectTo(`/operator/sign-in?done=${isEverywhere ? 'everywhere' : 'out'}`, [
      operatorCookie.clear(),
    ]);
  };
}
