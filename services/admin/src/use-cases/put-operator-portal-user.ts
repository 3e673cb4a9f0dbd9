import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { portalUserPutting, type PutPortalUserDeps } from './put-portal-user';

export function putOperatorPortalUser(
  deps: PutPortalUserDeps,
): Handler<(typeof adminContracts)['putOperatorPortalUser']> {
  const put = portalUserPutting(deps, 'operator');
  return ({ params, body }, call) => put(params.id, params.email, body, call);
}
