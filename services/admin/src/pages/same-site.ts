import { timingSafeEqual } from 'node:crypto';
import { permissionDenied, ServiceError } from '@receipts/kernel';

interface RequestHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | undefined;
}

/**
 * Checks the origin of a form with the headers that browsers send: forms from other sites are rejected.
 * @throws ServiceError 403
 */
export function checkSameSite(headers: RequestHeaders): void {
  const { host, origin, 'sec-fetch-site': site } = headers;
  const isOwn =
    site !== undefined
      ? site === 'same-origin' || site === 'none'
      : origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
  if (isOwn) return;
  const description = 'the form was not sent from one of our own pages';
  throw new ServiceError(permissionDenied, { description });
}

/**
 * Checks the CSRF token of a form, which other sites do not know.
 * @throws ServiceError 403 if the form belongs to another session
 */
export function checkForm(session: { readonly csrf: string }, csrf: string): void {
  const [given, expected] = [Buffer.from(csrf), Buffer.from(session.csrf)];
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new ServiceError(permissionDenied, { description: 'the form has expired; reload the page' });
}
