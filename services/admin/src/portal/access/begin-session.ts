import type { PortalUserRecord } from '../../registry-records';
import { redirectTo, type PageReply } from '../../pages/reply';
import type { Portal } from '../open-portal';
import { startPath } from '../start';

const receiptPath = /^\/portal\/receipts\/[0-9a-f]{24}$/;

/** Signs a user in, and redirects to the page that the user wanted to open. */
export async function beginSession(
  { portalSessions, cookie, now }: Portal,
  { retailer, email }: Pick<PortalUserRecord, 'retailer' | 'email'>,
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<PageReply> {
  const token = await portalSessions.begin(() => ({ retailer, email }), now(), signal);
  const isPage = wanted === startPath || receiptPath.test(wanted ?? '');
  const next = wanted !== undefined && isPage ? wanted : '/portal/';
  return redirectTo(next, [cookie.set(token)]);
}
