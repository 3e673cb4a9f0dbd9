import { strongerGroup, type RetailerSettings } from '@receipts/contracts';
import { checkGranted, mustNameConsumer, type Grants } from './grants';

/** The permissions of every portal user. */
const everybody = ['view.get_receipt', 'view.search_receipt'];

type GroupSettings = Pick<RetailerSettings, 'portal_groups' | 'portal_permissions'>;

/**
 * What the users of a group may do: the permissions that the setting `portal_permissions` grants to the group; by
 * default, and without a group, only those of every user.
 */
export function groupPermissions(
  group: string,
  { portal_groups: groups, portal_permissions: granted }: GroupSettings,
): readonly string[] {
  // A group that is no longer configured grants no further permissions.
  if (!groups.includes(group) || !Object.hasOwn(granted, group)) return everybody;
  return granted[group] ?? [];
}

/**
 * Adding a user to a group grants its permissions, and removing a user revokes them. Portal users also see the receipts
 * of all consumers.
 * @throws ServiceError 403 naming the permissions of the group that the caller does not hold
 */
export function checkManagesGroup(grants: Grants, group: string, settings: GroupSettings): void {
  checkGranted(grants, groupPermissions(group, settings), strongerGroup);
  if (grants.consumerRequired) throw mustNameConsumer();
}
