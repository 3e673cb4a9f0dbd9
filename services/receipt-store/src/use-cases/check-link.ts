import { ingestContracts, linkTaken, unknownLink } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import type { Submission } from './submission';

/** True for a link that can no longer be used. */
export function isExpired(link: NonNullable<Submission['link']>, now: Date): boolean {
  return link === 'unknown' || link.expiresAtMs <= now.getTime();
}

/**
 * The primary key prevents the reuse of a stored receipt's link. The link of a packet awaiting conversion is also
 * taken.
 * @throws ServiceError 422 `link_not_found` or 409 `link_taken`
 */
export async function checkLink(
  { id, link, call }: Submission,
  ask: Broker['ask'],
  now: Date,
): Promise<void> {
  if (!link) return;
  if (isExpired(link, now)) throw new ServiceError(unknownLink);
  const answer = await ask(ingestContracts.findPacketState, { body: { receipt_id: id } }, call);
  if (answer.body.state !== 'accepted') return;
  throw new ServiceError(linkTaken, { extra: { id }, headers: { location: `/receipts/${id}` } });
}
