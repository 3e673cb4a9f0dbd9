import type { ContractShape, Handler } from './contract';
import { consumersDenied } from './errors';

/**
 * Refuses callers whose signature is restricted to consumers. Such a signature is in the hands of a consumer, who
 * must not access the retailer's packets and mappings, whatever the key's permissions are.
 */
export function denyConsumerCredentials<C extends ContractShape>(handler: Handler<C>): Handler<C> {
  return async (input, call) => {
    if (call.consumers) throw consumersDenied();
    return handler(input, call);
  };
}
