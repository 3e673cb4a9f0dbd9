import { holdsPermission, type RetailerSettings } from '@receipts/contracts';

/** The permissions of every portal user. */
const everybody = ['view.get_receipt', 'view.search_receipt'];

/** What a user may do. */
export interface Grants {
  /** As named in the API. */
  readonly permissions: readonly string[];
  readonly may: (permission: string) => boolean;
}

/**
 * The permissions that the retailer's setting `portal_permissions` grants to the user's group; by default, only those
 * of every user.
 */
export function grantsOf(group: string, settings: RetailerSettings): Grants {
  const given = Object.hasOwn(settings.portal_permissions, group)
    ? (settings.portal_permissions[group] ?? [])
    : everybody;
  // A group that is no longer configured grants no further permissions.
  const permissions = settings.portal_groups.includes(group) ? given : everybody;
  return { permissions, may: (permission) => holdsPermission(permissions, permission) };
}
