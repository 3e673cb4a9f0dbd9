import { ServiceError, type Call } from '@receipts/kernel';
import { problem } from '../pages/form-fields';
import { html, type Html } from '@receipts/html';
import type { MessageKey } from '../pages/language';
import { redirectTo, type PageReply } from '../pages/reply';
import { faultText } from './fault-text';
import type { SentHeaders } from './language-switch';
import { pageFor, type MenuPath } from './layout';
import type { Portal } from './open-portal';
import { checkPermission, signedIn, type SignedIn } from './signed-in';

interface PageInput {
  readonly headers: SentHeaders;
}

interface PageOptions<I> {
  readonly title: MessageKey;
  readonly menuPath: MenuPath;
  /** The path of the page's script. */
  readonly script?: string;
  /**
   * The upper part of the page. The form is shown even if the request is rejected, but not to users who are not
   * allowed to see the page.
   */
  readonly head: (input: I, who: SignedIn) => Html | Promise<Html>;
  readonly result: (input: I, who: SignedIn) => Promise<Html>;
}

/** Why a form that has no page of its own was rejected. */
export const refusedPage = (title: string, fault: ServiceError, { language }: SignedIn): Html =>
  html`<h1>${title}</h1>
    ${problem(faultText(fault, language))}`;

/** A page for users with a permission. Users who are not signed in are redirected; others get 403. */
export const permittedPage =
  <I extends PageInput>(
    deps: Portal,
    permission: string,
    show: (who: SignedIn, input: I) => Promise<PageReply>,
  ) =>
  async (input: I, call: Call): Promise<PageReply> => {
    const who = await signedIn(deps, input.headers, call);
    if (!who) return redirectTo('/portal/sign-in');
    checkPermission(who, permission);
    return show(who, input);
  };

/** A page with a form and its result, or the reason why there is none. */
export function portalPage<I extends PageInput>(
  deps: Portal,
  { title, menuPath, script, head, result }: PageOptions<I>,
) {
  return async (input: I, call: Call): Promise<PageReply> => {
    const who = await signedIn(deps, input.headers, call);
    if (!who) return redirectTo('/portal/sign-in');
    const { t } = who.language;
    let found: Html | undefined;
    let fault: ServiceError | undefined;
    try {
      found = await result(input, who);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      fault = error;
    }
    const upper = fault?.status === 403 ? html`<h1>${t(title)}</h1>` : await head(input, who);
    const main = html`${upper} ${problem(fault && faultText(fault, who.language))} ${found}`;
    return pageFor(who, { title: t(title), main, menuPath, ...(script && { script }) }, fault?.status);
  };
}
