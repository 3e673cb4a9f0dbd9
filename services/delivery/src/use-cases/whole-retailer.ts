import { consumerNotAllowed } from '@receipts/contracts';
import { ServiceError, type Call } from '@receipts/kernel';

/**
 * Events tell of all consumers of a retailer, so that a credential that is confined to some has no part in them.
 * @throws ServiceError 403 `consumer_mismatch`
 */
export function checkWholeRetailer({ consumers }: Pick<Call, 'consumers'>): void {
  if (consumers) throw new ServiceError(consumerNotAllowed);
}
