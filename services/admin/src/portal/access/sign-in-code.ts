import { deadlineSignal } from '@receipts/storage';
import { field, problem } from '../../pages/form-fields';
import { html } from '@receipts/html';
import type { Language, MessageKey } from '../../pages/language';
import { pageReply, redirectTo } from '../../pages/reply';
import { checkSameSite } from '../../pages/same-site';
import type { PortalUserRecord } from '../../registry-records';
import { isCodeRight } from './check-code';
import { openStep, sealStep } from '../../pages/sealed-step';
import { beginSession } from './begin-session';
import { requestLanguage } from '../language-switch';
import { layout } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';

const purpose = 'sign-in';
const stepMs = 5 * 60_000;

/** A user who has given the right password. A new password ends the step. */
type Step = Pick<PortalUserRecord, 'email' | 'password'>;

interface CodeState {
  readonly step: string;
  readonly next: string | undefined;
  readonly fault?: string;
}

function codeView({ base }: Portal, language: Language, { step, next, fault }: CodeState) {
  const { t } = language;
  const main = html`<div class="card narrow">
    <h1>${t('signIn.code')}</h1>
    ${problem(fault)}
    <form method="post" action="${base}/portal/sign-in/code">
      <input type="hidden" name="step" value="${step}" />
      ${next !== undefined && html`<input type="hidden" name="next" value="${next}" />`}
      ${field({
        name: 'code',
        label: t('account.code'),
        autocomplete: 'one-time-code',
        hint: t('signIn.codeHint'),
        required: true,
      })}
      <button>${t('signIn')}</button>
    </form>
  </div>`;
  return layout({ title: t('signIn.code'), main, base, language, path: '/portal/sign-in' });
}

/** Asks a user with a second factor for its code, after the password. */
export function askForCode(
  deps: Portal,
  language: Language,
  { email, password }: Step,
  next: string | undefined,
) {
  const expires = deps.now().getTime() + stepMs;
  const step = sealStep<Step>(deps.sealer, purpose, { email, password }, expires);
  return pageReply(codeView(deps, language, { step, next }));
}

export function portalSignInCode(deps: Portal): HandlerOf<'portalSignInCode'> {
  const { records, portalSignIns, secondFactors, sealer, now } = deps;
  return async ({ headers, body }, call) => {
    checkSameSite(headers);
    const language = requestLanguage(deps, headers);
    const signal = deadlineSignal(call);
    const { step, next } = body;
    const found = openStep<Step>(sealer, purpose, step, now().getTime());
    const user = found && (await records.findUser(found.email, signal));
    if (!user || user.password !== found.password || user.status !== 'active')
      return redirectTo('/portal/sign-in?done=expired');
    const refuse = (fault: MessageKey, status: number) =>
      pageReply(codeView(deps, language, { step, next, fault: language.t(fault) }), status);
    // Six digits are few, so they are guessed within the same limits as passwords.
    const attempt = { email: `code ${user.email}`, network: headers['caller-network'] ?? '' };
    if (!(await portalSignIns.isAllowed(attempt, now(), signal))) return refuse('signIn.tooMany', 429);
    const factor = await secondFactors.find(user.email, signal);
    if (factor && !(await isCodeRight(deps, factor, body.code, signal)))
      return refuse('signIn.wrongCode', 403);
    await portalSignIns.succeeded(attempt, now(), signal);
    return beginSession(deps, user, next, signal);
  };
}
