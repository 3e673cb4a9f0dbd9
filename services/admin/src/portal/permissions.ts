import { holdsPermission, type RetailerSettings } from '@receipts/contracts';

/** The permissions of every portal user. */
const everybody = ['view.get_receipt', 'view.search_receipt'];

/**
 * A user's permissions: those of the group in the retailer setting `portal_permissions`, otherwise only those to read
 * receipts.
 */
export function permissionsOf(group: string, settings: RetailerSettings): (permission: string) => boolean {
  const given = Object.hasOwn(settings.portal_permissions, group)
    ? (settings.portal_permissions[group] ?? [])
    : everybody;
  // A group that is no longer configured grants no further permissions.
  const grants = settings.portal_groups.includes(group) ? given : everybody;
  return (permission) => holdsPermission(grants, permission);
}
