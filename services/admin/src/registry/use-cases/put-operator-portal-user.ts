import type { Endpoint, Registry } from '../open-registry';
import { portalUserWriter } from './put-portal-user';

export function putOperatorPortalUser(deps: Registry): Endpoint<'putOperatorPortalUser'> {
  const put = portalUserWriter(deps, 'operator');
  return ({ params, body }, call) => put(params.id, params.email, body, call);
}
