import { ServiceError, type Call } from '@receipts/kernel';
import { html } from '@receipts/html';
import { faultText } from './fault-text';
import { pageFor } from './layout';
import type { Portal } from './open-portal';
import { signedIn, type SignedIn } from './signed-in';

export interface PageInput {
  readonly headers: Parameters<typeof signedIn>[1];
}

/** The error as a page with the user's menu, so that nobody is stuck on it. */
function shell(error: ServiceError, who: SignedIn) {
  const { t, code } = who.language;
  const title = t(error.status === 404 ? 'error.notFound' : 'error.failed');
  const main = html`<h1>${title}</h1>
    ${error.status !== 404 && html`<p class="notice bad" role="alert">${faultText(error, who.language)}</p>`}
    <p><a class="button quiet" href="${who.base}/portal/">${t('receipt.all')}</a></p>`;
  const { body, meta } = pageFor(who, { title, main, menuPath: undefined }, error.status);
  const contentSecurityPolicy = meta.headers['content-security-policy'] ?? '';
  return { html: body.toString(), language: code, contentSecurityPolicy };
}

/** Shows errors of a page within the portal. Callers other than browsers get the plain error. */
export const withShell =
  <I extends PageInput, R>(deps: Portal, handler: (input: I, call: Call) => Promise<R>) =>
  async (input: I, call: Call): Promise<R> => {
    try {
      return await handler(input, call);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.page) throw error;
      const who = await signedIn(deps, input.headers, call).catch(() => undefined);
      throw who ? ServiceError.fromWire({ ...error.toWire(), page: shell(error, who) }) : error;
    }
  };

/** A page that does not exist. */
export const unknownPage = async (): Promise<never> => {
  throw new ServiceError({ status: 404, code: 'not_found', description: 'this page does not exist' });
};
