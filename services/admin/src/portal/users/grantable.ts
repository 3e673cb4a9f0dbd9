import { permissionDenied, ServiceError } from '@receipts/kernel';
import { groupPermissions } from '../../registry/domain/portal-group';
import type { SignedIn } from '../signed-in';

export const usersPath = '/portal/users';
export const groupsPath = '/portal/groups';
export const managePermission = 'view.put_portal_user';

export const groupPath = (name: string) => `${groupsPath}?${new URLSearchParams({ group: name }).toString()}`;

/** What the users of a group may do. */
export const permissionsOf = ({ retailer }: SignedIn, group: string): readonly string[] =>
  groupPermissions(group, retailer.settings);

/** Users can neither grant nor revoke permissions that they do not hold. */
export const mayManage = (who: SignedIn, group: string): boolean =>
  permissionsOf(who, group).every((permission) => who.may(permission));

/** @throws ServiceError 403 */
export function checkManages(who: SignedIn, ...groups: readonly string[]): void {
  if (groups.every((group) => mayManage(who, group))) return;
  throw new ServiceError(permissionDenied, { description: who.language.t('users.notGranted') });
}
