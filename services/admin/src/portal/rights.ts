import { holdsPermission, type RetailerSettings } from '@receipts/contracts';

/** What everybody may do who can sign in. */
const everybody = ['view.get_receipt', 'view.search_receipt'];

/** What a user may do: what the retailer's setting `portal_permissions` gives the group, else look receipts up. */
export function rightsOf(group: string, settings: RetailerSettings): (permission: string) => boolean {
  const given = Object.hasOwn(settings.portal_permissions, group)
    ? (settings.portal_permissions[group] ?? [])
    : everybody;
  // A group that is no longer configured gives nothing beyond.
  const held = settings.portal_groups.includes(group) ? given : everybody;
  return (permission) => holdsPermission(held, permission);
}
