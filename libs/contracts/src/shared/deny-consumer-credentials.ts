import {
  consumerNotAllowed,
  consumersDenied,
  ServiceError,
  type Call,
  type ContractShape,
  type Handler,
} from '@receipts/kernel';

/**
 * Rejects callers whose signature is restricted to consumers. Such a signature is in the hands of a consumer, who must
 * not access the retailer's packets and mappings, regardless of the key's permissions.
 */
export function denyConsumerCredentials<C extends ContractShape>(handler: Handler<C>): Handler<C> {
  return async (input, call) => {
    if (call.consumers) throw consumersDenied();
    return handler(input, call);
  };
}

/**
 * Rejects credentials that are restricted to consumers, and clients that must name a consumer, where the response
 * contains data of all consumers.
 * @throws ServiceError 403 `consumer_mismatch`
 */
export function checkWholeRetailer({ consumers, settings }: Pick<Call, 'consumers' | 'settings'>): void {
  if (consumers || settings?.consumer_required === true) throw new ServiceError(consumerNotAllowed);
}
