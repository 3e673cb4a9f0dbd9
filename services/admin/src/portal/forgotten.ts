import { portalEmailOf } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { field } from '../pages/form-fields';
import { html } from '@receipts/html';
import { pageReply } from '../pages/reply';
import { checkSameSite } from '../pages/same-site';
import { requestLanguage } from './language-switch';
import { layout } from './layout';
import type { HandlerOf, Portal } from './open-portal';

export function portalForgottenPage(deps: Portal): HandlerOf<'portalForgottenPage'> {
  const { base } = deps;
  return async ({ headers }) => {
    const language = requestLanguage(deps, headers);
    const { t } = language;
    return pageReply(
      layout({
        title: t('signIn.forgotten'),
        base,
        language,
        path: '/portal/forgotten',
        main: html`<div class="card narrow">
          <h1>${t('signIn.forgotten')}</h1>
          <form method="post" action="${base}/portal/forgotten">
            ${field({
              name: 'email',
              label: t('email'),
              type: 'email',
              autocomplete: 'username',
              hint: t('forgotten.hint'),
              required: true,
            })}
            <div class="actions">
              <button>${t('forgotten.send')}</button>
              <a href="${base}/portal/sign-in">${t('signIn.back')}</a>
            </div>
          </form>
        </div>`,
      }),
    );
  };
}

export function portalForgotten(deps: Portal): HandlerOf<'portalForgotten'> {
  const { base, log, records } = deps;
  return async ({ headers, body }, call) => {
    checkSameSite(headers);
    const language = requestLanguage(deps, headers);
    // Not awaited, so that neither the response nor its timing reveals whether the user exists.
    void records
      .requestReset(portalEmailOf(body.email.trim()), language.code, call)
      .catch((error: unknown) => {
        if (!(error instanceof ServiceError && error.status === 429)) {
          log.warn('a password reset failed', { error });
        }
      });
    const { t } = language;
    return pageReply(
      layout({
        title: t('forgotten.sent'),
        base,
        language,
        path: '/portal/forgotten',
        main: html`<div class="card narrow">
          <h1>${t('forgotten.sent')}</h1>
          <p>${t('forgotten.sentText')}</p>
          <p><a href="${base}/portal/sign-in">${t('signIn.back')}</a></p>
        </div>`,
      }),
    );
  };
}
