import type { ContractShape, Handler } from './contract';
import { consumersDenied } from './errors';

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
