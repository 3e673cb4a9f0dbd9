import type { HandlerOf, Registry } from '../open-registry';
import { portalUserWriter } from './put-portal-user';

export function putOperatorPortalUser(deps: Registry): HandlerOf<'putOperatorPortalUser'> {
  const put = portalUserWriter(deps, 'operator');
  return ({ params, body }, call) => put(params.id, params.email, body, call);
}
