import type { Portal } from '../open-portal';
import { portalGroup, portalGroupForm } from './group';
import { portalUser, portalUserForm } from './user';
import { portalCreateUser, portalUsers } from './users';

/** The pages and forms for users of the portal and their groups. */
export const portalUserHandlers = (deps: Portal) => ({
  portalUsers: portalUsers(deps),
  portalCreateUser: portalCreateUser(deps),
  portalUser: portalUser(deps),
  portalUserForm: portalUserForm(deps),
  portalGroup: portalGroup(deps),
  portalGroupForm: portalGroupForm(deps),
});
