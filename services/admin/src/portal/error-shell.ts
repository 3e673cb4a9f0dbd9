import type { Call } from '@receipts/kernel';
import { html } from '@receipts/html';
import { withErrorShell } from '../pages/error-shell';
import { faultText } from './fault-text';
import { pageFor } from './layout';
import type { Portal } from './open-portal';
import { signedIn } from './signed-in';

export interface PageInput {
  readonly headers: Parameters<typeof signedIn>[1];
}

/** Shows errors of a page within the portal. */
export const withShell = <I extends PageInput, R>(
  deps: Portal,
  handler: (input: I, call: Call) => Promise<R>,
): ((input: I, call: Call) => Promise<R>) =>
  withErrorShell<PageInput>(async (error, { headers }, call) => {
    const who = await signedIn(deps, headers, call);
    if (!who) return undefined;
    const { t, code } = who.language;
    const title = t(error.status === 404 ? 'error.notFound' : 'error.failed');
    const main = html`<h1>${title}</h1>
      ${error.status !== 404 && html`<p class="notice bad" role="alert">${faultText(error, who.language)}</p>`}
      <p><a class="button quiet" href="${who.base}/portal/">${t('receipt.all')}</a></p>`;
    return { reply: pageFor(who, { title, main, menuPath: undefined }, error.status), language: code };
  })(handler);
