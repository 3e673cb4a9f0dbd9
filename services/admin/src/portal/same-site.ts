import { permissionDenied, ServiceError } from '@receipts/kernel';

interface Sent {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | undefined;
}

/**
 * Browsers say from where a form was sent: only our own pages may send ours.
 * @throws ServiceError 403
 */
export function checkSameSite(headers: Sent): void {
  const { host, origin, 'sec-fetch-site': site } = headers;
  const isOwn =
    site !== undefined
      ? site === 'same-origin' || site === 'none'
      : origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
  if (isOwn) return;
  const description = 'the form was not sent from a page of the portal';
  throw new ServiceError(permissionDenied, { description });
}
