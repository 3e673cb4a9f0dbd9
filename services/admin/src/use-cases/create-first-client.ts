import { retailerNotFound, type adminContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { Retailers } from '../storage/retailers';
import { clientCreation, type CreateClientDeps } from './create-client';

export function createFirstClient(
  deps: CreateClientDeps & { retailers: Retailers },
): Handler<(typeof adminContracts)['createFirstClient']> {
  const create = clientCreation(deps);
  return async ({ params, body }, call) => {
    if (!(await deps.retailers.find(params.id, deadlineSignal(call)))) {
      throw new ServiceError(retailerNotFound);
    }
    return create(params.id, params.authentication, body, call);
  };
}
