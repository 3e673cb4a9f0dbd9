import type { ContractShape, Handler } from './contract';
import { permissionDenied, ServiceError } from './errors';

/**
 * A signature that is confined to consumers lies in the hands of one of them. The packets and mappings of a retailer are none
 * of their business, whatever the key may do otherwise.
 */
export function forTheRetailer<C extends ContractShape>(handler: Handler<C>): Handler<C> {
  return async (input, call) => {
    if (call.consumers) throw new ServiceError(permissionDenied);
    return handler(input, call);
  };
}
