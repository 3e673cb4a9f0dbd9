import {
  holdsPermission,
  storePermissions,
  strongerGroup,
  strongerUser,
  type RetailerSettings,
} from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { checkGranted, mustNameConsumer, type Grants } from './grants';
import type { PortalUserRecord } from './portal-user';

/** The permissions of every portal user. */
const everybody = ['view.get_receipt', 'view.search_receipt'];

type GroupSettings = Pick<RetailerSettings, 'portal_groups' | 'portal_permissions' | 'portal_stores'>;
type Member = Pick<PortalUserRecord, 'group' | 'stores'>;

/**
 * What the users of a group may do: the permissions that the setting `portal_permissions` grants to the group; by
 * default, and without a group, only those of every user.
 */
export function groupPermissions(
  group: string,
  { portal_groups: groups, portal_permissions: granted }: Omit<GroupSettings, 'portal_stores'>,
): readonly string[] {
  // A group that is no longer configured grants no further permissions.
  if (!groups.includes(group) || !Object.hasOwn(granted, group)) return everybody;
  return granted[group] ?? [];
}

/** The stores to which a group restricts its users; undefined for all, and also after the group was deleted. */
export function groupStores(
  group: string,
  { portal_stores: restricted }: Pick<GroupSettings, 'portal_stores'>,
): readonly string[] | undefined {
  return Object.hasOwn(restricted, group) ? restricted[group]?.map(String) : undefined;
}

/** The stores that a user may see, those that both the user and its group allow; undefined for all. */
export function userStores(
  { group, stores }: Member,
  settings: GroupSettings,
): readonly string[] | undefined {
  const ofGroup = groupStores(group, settings);
  if (!stores || !ofGroup) return stores ?? ofGroup;
  return stores.filter((store) => ofGroup.includes(store));
}

/** What a user may do. A user who is restricted to stores has no permissions that concern the whole retailer. */
export function userPermissions(user: Member, settings: GroupSettings): readonly string[] {
  const permissions = groupPermissions(user.group, settings);
  if (!userStores(user, settings)) return permissions;
  return storePermissions.filter((permission) => holdsPermission(permissions, permission));
}

/**
 * Adding a user to a group grants its permissions, and removing a user revokes them. Portal users also see the receipts
 * of all consumers.
 * @throws ServiceError 403 naming the permissions of the group that the caller does not hold
 */
export function checkManagesUser(grants: Grants, user: Member, settings: GroupSettings): void {
  checkGranted(grants, groupPermissions(user.group, settings), strongerGroup);
  if (grants.consumerRequired) throw mustNameConsumer();
  const { stores: allowed } = grants;
  if (!allowed) return;
  const isWithin = userStores(user, settings)?.every((store) => allowed.includes(store)) ?? false;
  if (!isWithin) throw new ServiceError(strongerUser);
}
