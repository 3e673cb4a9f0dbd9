import { portalEmailOf } from '@receipts/contracts';
import { deadlineSignal } from '@receipts/storage';
import { field, problem, success } from '../pages/form-fields';
import { html } from '../pages/html';
import { redirectTo, pageReply } from '../pages/reply';
import { checkForm, checkSameSite } from '../pages/same-site';
import { layout } from './layout';
import { isPasswordRight } from './password';
import { signedIn } from './signed-in';
import type { Endpoint, Portal } from './open-portal';

const receiptPath = /^\/portal\/receipts\/[0-9a-f]{24}$/;
const doneTexts: Readonly<Record<string, string>> = {
  password: 'Your password was set. Sign in with it.',
  out: 'You are signed out.',
};

interface Shown {
  readonly email?: string;
  readonly next?: string | undefined;
  readonly done?: string | undefined;
  readonly fault?: string;
}

function signInView({ base }: Portal, { email, next, done, fault }: Shown) {
  const main = html`<div class="card narrow">
    <h1>Sign in</h1>
    ${problem(fault)} ${success(done === undefined ? undefined : doneTexts[done])}
    <form method="post" action="${base}/portal/sign-in">
      ${next !== undefined && html`<input type="hidden" name="next" value="${next}" />`}
      ${field({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: email, required: true })}
      ${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', required: true })}
      <div class="actions">
        <button>Sign in</button>
        <a href="${base}/portal/forgotten">Forgotten password</a>
      </div>
    </form>
  </div>`;
  return layout({ title: 'Sign in', main, base });
}

export function portalSignInPage(deps: Portal): Endpoint<'portalSignInPage'> {
  return async ({ query, headers }, call) =>
    (await signedIn(deps, headers.cookie, call))
      ? redirectTo('/portal/')
      : pageReply(signInView(deps, query));
}

export function portalSignIn(deps: Portal): Endpoint<'portalSignIn'> {
  const { portalUsers, portalSignIns, portalSessions, cookie, now } = deps;
  return async ({ headers, body }, call) => {
    checkSameSite(headers);
    const before = deadlineSignal(call);
    const email = portalEmailOf(body.email.trim());
    const refuse = (fault: string, status: number) =>
      pageReply(signInView(deps, { email: body.email, next: body.next, fault }), status);
    if (!(await portalSignIns.isAllowed(email, now(), before))) {
      return refuse('Too many attempts. Wait 15 minutes, or request a new password.', 429);
    }
    const user = await portalUsers.find(email, before);
    const hash = user?.status === 'active' ? user.password : null;
    // Also checked if the user does not exist, so that the response time does not reveal this.
    const isRight = await isPasswordRight(body.password, hash);
    if (!user || !isRight) return refuse('The e-mail address or the password is wrong.', 403);
    const after = deadlineSignal(call);
    await portalSignIns.forget(email, after);
    const token = await portalSessions.begin(user, now(), after);
    const next = body.next !== undefined && receiptPath.test(body.next) ? body.next : '/portal/';
    return redirectTo(next, [cookie.set(token)]);
  };
}

export function portalSignOut(deps: Portal): Endpoint<'portalSignOut'> {
  return async ({ headers, body }, call) => {
    checkSameSite(headers);
    const who = await signedIn(deps, headers.cookie, call);
    const token = deps.cookie.read(headers.cookie);
    if (who && token !== undefined) {
      checkForm(who.session, body.csrf);
      await deps.portalSessions.end(token, deadlineSignal(call));
    }
    return redirectTo('/portal/sign-in?done=out', [deps.cookie.clear()]);
  };
}
