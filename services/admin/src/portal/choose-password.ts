import { deadlineSignal } from '@receipts/storage';
import { field, problem } from '../pages/form-fields';
import { html } from '@receipts/html';
import type { Language } from '../pages/language';
import { redirectTo, pageReply } from '../pages/reply';
import { checkSameSite } from '../pages/same-site';
import { requestLanguage } from './language-switch';
import { layout } from './layout';
import { hashPassword, passwordCharactersMin, passwordFault } from './password';
import type { HandlerOf, Portal } from './open-portal';
import { startPath } from './start';

function choiceView({ base }: Portal, language: Language, token: string, email: string, fault?: string) {
  const { t } = language;
  const main = html`<div class="card narrow">
    <h1>${t('choose')}</h1>
    ${problem(fault)}
    <form method="post" action="${base}/portal/password">
      <input type="hidden" name="token" value="${token}" />
      ${field({ name: 'email', label: t('email'), type: 'email', autocomplete: 'username', value: email })}
      ${field({
        name: 'password',
        label: t('choose.new'),
        type: 'password',
        autocomplete: 'new-password',
        hint: t('choose.hint', { count: passwordCharactersMin }),
        required: true,
      })}
      ${field({ name: 'password_confirmation', label: t('choose.confirm'), type: 'password', autocomplete: 'new-password', required: true })}
      <button>${t('choose.set')}</button>
    </form>
  </div>`;
  return layout({ title: t('choose'), main, base, language, path: `/portal/password?token=${token}` });
}

function expiredView({ base }: Portal, language: Language) {
  const { t } = language;
  const main = html`<div class="card narrow">
    <h1>${t('choose.expired')}</h1>
    <p>${t('choose.expiredText')}</p>
    <p><a class="button" href="${base}/portal/forgotten">${t('choose.another')}</a></p>
  </div>`;
  return layout({ title: t('choose.expired'), main, base, language, path: '/portal/forgotten' });
}

export function portalPasswordPage(deps: Portal): HandlerOf<'portalPasswordPage'> {
  return async ({ query, headers }, call) => {
    const language = requestLanguage(deps, headers);
    const token = query.token ?? '';
    const user = await deps.records.findUserByReset(token, call);
    return user
      ? pageReply(choiceView(deps, language, token, user.email))
      : pageReply(expiredView(deps, language), 404);
  };
}

export function portalPassword(deps: Portal): HandlerOf<'portalPassword'> {
  const { records, portalSessions, portalSignIns } = deps;
  return async ({ headers, body }, call) => {
    checkSameSite(headers);
    const language = requestLanguage(deps, headers);
    const { token, password, password_confirmation: confirmation } = body;
    const user = await deps.records.findUserByReset(token, call);
    if (!user) return pageReply(expiredView(deps, language), 404);
    const fault =
      password === confirmation
        ? await passwordFault(password, user.email, language)
        : language.t('choose.mismatch');
    if (fault !== undefined) return pageReply(choiceView(deps, language, token, user.email, fault), 422);
    const hash = await hashPassword(password);
    const signal = deadlineSignal(call);
    if (!(await records.setPassword(user, hash, call))) return pageReply(expiredView(deps, language), 404);
    // Ends the sessions that were started with the old password.
    await portalSessions.endAll({ email: user.email }, signal);
    await portalSignIns.forget({ email: user.email, network: headers['caller-network'] ?? '' }, signal);
    const isFirst = user.password === null;
    const query = new URLSearchParams({ done: 'password', ...(isFirst && { next: startPath }) });
    return redirectTo(`/portal/sign-in?${query.toString()}`);
  };
}
