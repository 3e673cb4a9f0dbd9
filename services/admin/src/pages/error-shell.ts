import { ServiceError, type Call } from '@receipts/kernel';
import type { PageReply } from './reply';

/** An error as a page of its site. */
export interface ErrorShell {
  readonly reply: PageReply;
  readonly language: string;
}

/**
 * Shows the errors of a page within its site, with the menu, so that nobody is stuck on it. Callers other than browsers
 * get the plain error.
 * @param shell undefined for visitors who are not signed in
 */
export const withErrorShell =
  <I>(shell: (error: ServiceError, input: I, call: Call) => Promise<ErrorShell | undefined>) =>
  <J extends I, R>(handler: (input: J, call: Call) => Promise<R>) =>
  async (input: J, call: Call): Promise<R> => {
    try {
      return await handler(input, call);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.page) throw error;
      const shown = await shell(error, input, call).catch(() => undefined);
      if (!shown) throw error;
      const { body, meta } = shown.reply;
      const contentSecurityPolicy = meta.headers['content-security-policy'] ?? '';
      const page = { html: body.toString(), language: shown.language, contentSecurityPolicy };
      throw ServiceError.fromWire({ ...error.toWire(), page });
    }
  };

/** A page that does not exist. */
export const unknownPage = async (): Promise<never> => {
  throw new ServiceError({ status: 404, code: 'not_found', description: 'this page does not exist' });
};
