import type { ContractShape, Handler } from './contract';
import { permissionDenied, ServiceError } from './errors';

/**
 * Refuses callers whose signature is restricted to consumers. Such a signature is in the hands of a consumer, who
 * must not access the retailer's packets and mappings, whatever the key's permissions are.
 */
export function forTheRetailer<C extends ContractShape>(handler: Handler<C>): Handler<C> {
  return async (input, call) => {
    if (call.consumers) throw new ServiceError(permissionDenied);
    return handler(input, call);
  };
}
