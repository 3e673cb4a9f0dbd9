import type { Call } from '@receipts/kernel';
import { html } from '@receipts/html';
import { problem } from '../../pages/form-fields';
import { withErrorShell } from '../../pages/error-shell';
import { pageReply } from '../../pages/reply';
import type { Operations } from '../open-operations';
import { language, layout } from './layout';
import { signedIn, type SentHeaders } from './signed-in';

export interface PageInput {
  readonly headers: SentHeaders;
}

/** Shows errors of a page within the operations pages. */
export const withShell = <I extends PageInput, R>(
  operations: Operations,
  handler: (input: I, call: Call) => Promise<R>,
): ((input: I, call: Call) => Promise<R>) =>
  withErrorShell<PageInput>(async (error, { headers }, call) => {
    const who = await signedIn(operations, headers, call);
    if (!who) return undefined;
    const title = error.status === 404 ? 'This page does not exist' : 'This page could not be shown';
    const { base } = operations;
    const main = html`<h1>${title}</h1>
      ${error.status !== 404 && problem(language.api(error.description))}
      <p><a class="button quiet" href="${base}/operator/">Services</a></p>`;
    return { reply: pageReply(layout({ title, main, who, base }), error.status), language: language.code };
  })(handler);
