import { portalEmailOf } from '@receipts/contracts';
import { deadlineSignal } from '@receipts/storage';
import { field, problem, success } from '../../pages/form-fields';
import { html } from '@receipts/html';
import type { Language, MessageKey } from '../../pages/language';
import { redirectTo, pageReply } from '../../pages/reply';
import { checkForm, checkSameSite } from '../../pages/same-site';
import { doneText, type DoneTexts } from '../done-text';
import { requestLanguage } from '../language-switch';
import { layout } from '../layout';
import { providerOf } from './oidc-pages';
import { isPasswordRight } from '../password';
import { askForCode } from './sign-in-code';
import { beginSession } from './begin-session';
import { signedIn } from '../signed-in';
import type { HandlerOf, Portal } from '../open-portal';

const doneTexts: DoneTexts = {
  password: 'signIn.passwordSet',
  out: 'signIn.out',
  expired: 'signIn.expired',
};

interface SignInState {
  readonly email?: string;
  readonly next?: string | undefined;
  readonly done?: string | undefined;
  readonly fault?: string;
  /** The retailer whose identity provider the page offers. */
  readonly retailer?: string | undefined;
}

const oidcPath = (retailer: string, next: string | undefined) =>
  `/portal/oidc?${new URLSearchParams({ retailer, ...(next !== undefined && { next }) }).toString()}`;

function signInView(
  { base }: Portal,
  language: Language,
  { email, next, done, fault, retailer }: SignInState,
) {
  const { t } = language;
  const main = html`<div class="card narrow">
    <h1>${t('signIn')}</h1>
    ${problem(fault)} ${success(doneText(doneTexts, done, language))}
    <form method="post" action="${base}/portal/sign-in">
      ${next !== undefined && html`<input type="hidden" name="next" value="${next}" />`}
      ${field({ name: 'email', label: t('email'), type: 'email', autocomplete: 'username', value: email, required: true })}
      ${field({ name: 'password', label: t('signIn.password'), type: 'password', autocomplete: 'current-password', required: true })}
      <div class="actions">
        <button>${t('signIn')}</button>
        <a href="${base}/portal/forgotten">${t('signIn.forgotten')}</a>
      </div>
    </form>
    ${retailer !== undefined && html`<p><a class="button quiet" href="${base}${oidcPath(retailer, next)}">${t('signIn.provider')}</a></p>`}
  </div>`;
  return layout({ title: t('signIn'), main, base, language, path: '/portal/sign-in' });
}

export function portalSignInPage(deps: Portal): HandlerOf<'portalSignInPage'> {
  return async ({ query, headers }, call) => {
    if (await signedIn(deps, headers, call)) return redirectTo('/portal/');
    const { retailer, ...shown } = query;
    const hasProvider = retailer !== undefined && (await providerOf(deps, retailer, call)) !== undefined;
    const language = requestLanguage(deps, headers);
    return pageReply(signInView(deps, language, { ...shown, ...(hasProvider && { retailer }) }));
  };
}

export function portalSignIn(deps: Portal): HandlerOf<'portalSignIn'> {
  const { records, portalSignIns, secondFactors, now } = deps;
  return async ({ headers, body }, call) => {
    checkSameSite(headers);
    const language = requestLanguage(deps, headers);
    const before = deadlineSignal(call);
    const email = portalEmailOf(body.email.trim());
    const refuse = (fault: MessageKey, status: number) =>
      pageReply(
        signInView(deps, language, { email: body.email, next: body.next, fault: language.t(fault) }),
        status,
      );
    const attempt = { email, network: headers['caller-network'] ?? '' };
    if (!(await portalSignIns.isAllowed(attempt, now(), before))) {
      return refuse('signIn.tooMany', 429);
    }
    const user = await records.findUser(email, before);
    const hash = user?.status === 'active' ? user.password : null;
    // Also checked if the user does not exist, so that the response time does not reveal this.
    const isRight = await isPasswordRight(body.password, hash);
    if (!user || !isRight) return refuse('signIn.wrong', 403);
    const after = deadlineSignal(call);
    await portalSignIns.succeeded(attempt, now(), after);
    const factor = await secondFactors.find(user.email, after);
    return factor ? askForCode(deps, language, user, body.next) : beginSession(deps, user, body.next, after);
  };
}

export function portalSignOut(deps: Portal): HandlerOf<'portalSignOut'> {
  return async ({ headers, body }, call) => {
    checkSameSite(headers);
    const who = await signedIn(deps, headers, call);
    const token = deps.cookie.read(headers.cookie);
    if (who && token !== undefined) {
      checkForm(who.session, body.csrf);
      await deps.portalSessions.end(token, deadlineSignal(call));
    }
    return redirectTo('/portal/sign-in?done=out', [deps.cookie.clear()]);
  };
}
