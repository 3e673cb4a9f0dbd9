import { html, type Html } from '@receipts/html';
import { ServiceError, type Call } from '@receipts/kernel';
import { problem } from './form-fields';
import type { Language } from './language';
import type { PageReply } from './reply';

/** What surrounds a page of the portal or of operations, such as the menu of the user who is signed in. */
export interface Frame {
  readonly language: Language;
  /** The link to the first page. */
  readonly home: { readonly href: string; readonly label: string };
  /** The text of an error. */
  readonly faultText: (error: ServiceError) => string;
  readonly show: (page: { readonly title: string; readonly main: Html }, status: number) => PageReply;
}

function errorPage(error: ServiceError, { language: { t }, home, faultText, show }: Frame): PageReply {
  const { status } = error;
  const isMissing = status === 404;
  const title = t(isMissing ? 'error.notFound' : 'error.failed');
  const main = html`<h1>${title}</h1>
    ${!isMissing && problem(faultText(error))}
    <p><a class="button quiet" href="${home.href}">${home.label}</a></p>`;
  return show({ title, main }, status);
}

/**
 * Shows the errors of a page within its site, with the menu, so that nobody is stuck on it. Callers other than browsers
 * get the plain error.
 * @param frameFor undefined for visitors who are not signed in
 */
export const withErrorShell =
  <H>(frameFor: (headers: H, call: Call) => Promise<Frame | undefined>) =>
  <I extends { readonly headers: H }, R>(handler: (input: I, call: Call) => Promise<R>) =>
  async (input: I, call: Call): Promise<R> => {
    try {
      return await handler(input, call);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.page) throw error;
      const frame = await frameFor(input.headers, call).catch(() => undefined);
      if (!frame) throw error;
      const { body, meta } = errorPage(error, frame);
      const contentSecurityPolicy = meta.headers['content-security-policy'] ?? '';
      const page = { html: body.toString(), language: frame.language.code, contentSecurityPolicy };
      throw ServiceError.fromWire({ ...error.toWire(), page });
    }
  };

/** A page that does not exist. */
export const unknownPage = async (): Promise<never> => {
  throw new ServiceError({ status: 404, code: 'not_found', description: 'this page does not exist' });
};
