import { permissionDenied, ServiceError } from '@receipts/kernel';
import { groupPermissions, userStores } from '../../registry-records';
import type { PortalUserRecord } from '../../registry-records';
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

/** Whether the user may change another: one that may do and see at most the same. */
export function mayManageUser(
  who: SignedIn,
  user: Pick<PortalUserRecord, 'group' | 'stores' | 'managedBy'>,
): boolean {
  const stores = userStores(user, who.retailer.settings);
  const isWithin = !who.stores || (stores?.every((store) => who.stores?.includes(store)) ?? false);
  return user.managedBy === 'retailer' && mayManage(who, user.group) && isWithin;
}

/**
 * Groups apply to the whole retailer.
 * @throws ServiceError 403 for a user who is restricted to stores
 */
export function checkManagesGroups({ stores, language }: SignedIn): void {
  if (stores) throw new ServiceError(permissionDenied, { description: language.t('users.notGranted') });
}

/** @throws ServiceError 403 */
export function checkManages(who: SignedIn, ...groups: readonly string[]): void {
  if (groups.every((group) => mayManage(who, group))) return;
  throw new ServiceError(permissionDenied, { description: who.language.t('users.notGranted') });
}
