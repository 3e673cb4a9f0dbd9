import { deadlineSignal } from '@receipts/storage';
import { toString as drawQr } from 'qrcode';
import { ServiceError } from '@receipts/kernel';
import { field, postForm, problem, success } from '../../pages/form-fields';
import { Html, html } from '@receipts/html';
import { redirectTo, type PageReply } from '../../pages/reply';
import { checkForm, checkSameSite } from '../../pages/same-site';
import { doneText, type DoneTexts } from '../done-text';
import { pageFor } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';
import { signedIn, type SignedIn } from '../signed-in';
import { groupName } from '../roles';
import { isCodeRight } from './check-code';
import { openStep, sealStep } from '../../pages/sealed-step';
import { newRecoveryCodes, newTotpSecret, periodOf, recoveryHash, totpAddress } from './totp';

export const accountPath = '/portal/account';
const setupPurpose = 'second-factor';
const setupMs = 15 * 60_000;

const doneTexts: DoneTexts = { removed: 'account.removed' };

interface Setup {
  readonly email: string;
  readonly secret: string;
}

const codeField = (t: SignedIn['language']['t']) =>
  field({
    name: 'code',
    label: t('account.code'),
    autocomplete: 'one-time-code',
    hint: t('account.codeHint'),
    required: true,
  });

function page(who: SignedIn, card: Html, notes?: Html, status?: number): PageReply {
  const { t } = who.language;
  const { email, group } = who.user;
  const main = html`<h1>${t('account')}</h1>
    ${notes}
    <dl class="card">
      <dt>${t('email')}</dt>
      <dd>${email}</dd>
      <dt>${t('users.group')}</dt>
      <dd>${groupName(group, who.language) || t('users.noGroup')}</dd>
      <dt>${t('stores')}</dt>
      <dd>${who.stores?.join(', ') ?? t('stores.all')}</dd>
    </dl>
    ${card}`;
  return pageFor(who, { title: t('account'), main, menuPath: accountPath }, status);
}

const form = (who: SignedIn, inside: Html) => postForm(`${who.base}${accountPath}`, who.session.csrf, inside);

function section(who: SignedIn, inside: Html): Html {
  return html`<section class="card" aria-labelledby="factor">
    <h2 id="factor">${who.language.t('account.factor')}</h2>
    ${inside}
  </section>`;
}

function stateCard(who: SignedIn, isEnabled: boolean): Html {
  const { t } = who.language;
  if (!isEnabled) {
    const begin = html`<button name="action" value="begin">${t('account.begin')}</button>`;
    return section(
      who,
      html`<p>${t('account.off')}</p>
        ${form(who, begin)}`,
    );
  }
  const remove = html`${codeField(t)}
    <button class="danger" name="action" value="remove">${t('account.remove')}</button>`;
  return section(
    who,
    html`<p>${t('account.on')}</p>
      ${form(who, remove)}`,
  );
}

/** Shows the secret of an authenticator as a QR code and as text. */
async function setupCard({ sealer, now }: Portal, who: SignedIn, { email, secret }: Setup): Promise<Html> {
  const { t } = who.language;
  const address = totpAddress(secret, email, who.retailer.name);
  const drawing = await drawQr(address, { type: 'svg', margin: 2, width: 200 });
  const sealed = sealStep(sealer, setupPurpose, { email, secret }, now().getTime() + setupMs);
  const confirm = html`<input type="hidden" name="setup" value="${sealed}" /> ${codeField(t)}
    <button name="action" value="confirm">${t('account.confirm')}</button>`;
  return section(
    who,
    html`<p>${t('account.scan')}</p>
      <div class="qr" role="img" aria-label="${t('account.qr')}">${new Html(drawing)}</div>
      <p>${t('account.secret')} <code>${secret.match(/.{1,4}/g)?.join(' ')}</code></p>
      ${form(who, confirm)}`,
  );
}

function codesCard(who: SignedIn, codes: readonly string[]): Html {
  const { t } = who.language;
  return section(
    who,
    html`<p>${t('account.codes')}</p>
      <ul class="plain">
        ${codes.map((code) => html`<li><code>${code}</code></li>`)}
      </ul>
      <p><a class="button" href="${who.base}${accountPath}">${t('account.kept')}</a></p>`,
  );
}

/** The signed-in user's own account. */
export function portalAccount(deps: Portal): HandlerOf<'portalAccount'> {
  return async ({ headers, query: { done } }, call) => {
    const who = await signedIn(deps, headers, call);
    if (!who) return redirectTo('/portal/sign-in');
    const factor = await deps.secondFactors.find(who.user.email, deadlineSignal(call));
    return page(who, stateCard(who, factor !== null), success(doneText(doneTexts, done, who.language)));
  };
}

interface ConfirmationFields {
  readonly code?: string | undefined;
  readonly setup?: string | undefined;
}

async function confirmed(
  deps: Portal,
  who: SignedIn,
  { code = '', setup = '' }: ConfirmationFields,
  signal: AbortSignal,
): Promise<PageReply> {
  const { secondFactors, sealer, now } = deps;
  const { t } = who.language;
  const { email, retailer } = who.user;
  const found = openStep<Setup>(sealer, setupPurpose, setup, now().getTime());
  if (found?.email !== email) return page(who, stateCard(who, false), problem(t('account.expired')), 422);
  const usedPeriod = periodOf(found.secret, code, now());
  if (usedPeriod === undefined)
    return page(who, await setupCard(deps, who, found), problem(t('signIn.wrongCode')), 422);
  const codes = newRecoveryCodes();
  await secondFactors.set(
    {
      _id: email,
      retailer,
      usedPeriod,
      secret: sealer.seal(found.secret),
      recovery: codes.map(recoveryHash),
    },
    signal,
  );
  return page(who, codesCard(who, codes), success(t('account.enabled')));
}

export function portalAccountForm(deps: Portal): HandlerOf<'portalAccountForm'> {
  const { secondFactors, portalSignIns, now } = deps;
  return async ({ headers, body }, call) => {
    checkSameSite(headers);
    const who = await signedIn(deps, headers, call);
    if (!who) return redirectTo('/portal/sign-in');
    checkForm(who.session, body.csrf);
    const signal = deadlineSignal(call);
    const { email } = who.user;
    const { t } = who.language;
    const factor = await secondFactors.find(email, signal);
    if (body.action === 'remove') {
      if (!factor) return redirectTo(accountPath);
      const attempt = { email: `code ${email}`, network: headers['caller-network'] ?? '' };
      if (!(await portalSignIns.isAllowed(attempt, now(), signal)))
        return page(who, stateCard(who, true), problem(t('signIn.tooMany')), 429);
      if (!(await isCodeRight(deps, factor, body.code ?? '', signal)))
        return page(who, stateCard(who, true), problem(t('signIn.wrongCode')), 403);
      await portalSignIns.succeeded(attempt, now(), signal);
      await secondFactors.remove(email, signal);
      return redirectTo(`${accountPath}?done=removed`);
    }
    // Otherwise, somebody at an unlocked screen could replace the authenticator.
    if (factor) throw new ServiceError({ status: 409, description: t('account.on') });
    if (body.action === 'confirm') return confirmed(deps, who, body, signal);
    return page(who, await setupCard(deps, who, { email, secret: newTotpSecret() }));
  };
}
