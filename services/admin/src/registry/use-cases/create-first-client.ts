import { retailerNotFound } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { clientCreator } from './create-client';

export function createFirstClient(deps: Registry): HandlerOf<'createFirstClient'> {
  const create = clientCreator(deps);
  return async ({ params, body }, call) => {
    if (!(await deps.retailers.find(params.id, deadlineSignal(call)))) {
      throw new ServiceError(retailerNotFound);
    }
    return create(params.id, params.authentication, body, call);
  };
}
