import { consumerNotAllowed } from '@receipts/contracts';
import { ServiceError, type Call } from '@receipts/kernel';

/**
 * Events contain data of all consumers, so credentials confined to some of them are refused.
 * @throws ServiceError 403 `consumer_mismatch`
 */
export function checkWholeRetailer({ consumers }: Pick<Call, 'consumers'>): void {
  if (consumers) throw new ServiceError(consumerNotAllowed);
}
