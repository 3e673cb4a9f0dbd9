import { consumerNotAllowed } from '@receipts/contracts';
import { ServiceError, type Call } from '@receipts/kernel';

/**
 * Events contain data of all consumers, so credentials that are restricted to consumers, and clients that must name
 * one, are rejected.
 * @throws ServiceError 403 `consumer_mismatch`
 */
export function checkWholeRetailer({ consumers, settings }: Pick<Call, 'consumers' | 'settings'>): void {
  if (consumers || settings?.consumer_required === true) throw new ServiceError(consumerNotAllowed);
}
