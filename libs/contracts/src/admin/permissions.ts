import { z } from 'zod';

const resourcePermissions = [
  'view.get_receipt',
  'view.search_receipt',
  'view.post_receipt',
  'view.patch_receipt',
  'view.delete_receipt',
  'view.void_receipt',
  'view.post_gift_receipt',
  'view.export_receipt',
  'view.assign_receipt',
  'view.unassign_receipt',
  'view.send_receipt',
  'view.post_pos_receipt',
  'view.post_pos_data',
  'view.get_packet',
  'view.reprocess_packet',
  'view.manage_mapping',
  'view.post_attachment',
  'view.get_attachment',
  'view.get_identifier',
  'view.search_identifier',
  'view.post_identifier',
  'view.patch_identifier',
  'view.erase_identifier',
  'view.export_identifier',
  'view.validate_identifier',
  'view.get_store',
  'view.post_store',
  'view.patch_store',
  'view.get_loyalty',
  'view.post_card',
  'view.get_client',
  'view.post_client',
  'view.patch_client',
  'view.put_portal_user',
  'view.reset_portal_user',
  'view.manage_webhook',
  'view.manage_brand',
  'view.get_events',
  'view.get_report',
] as const;

/** Grants every permission, including those of later releases. */
export const everyPermission = 'view.*';

/**
 * The permissions that a portal user can exercise on some stores alone. A user who is restricted to stores holds no
 * others, because they concern the whole retailer.
 */
export const storePermissions: readonly string[] = [
  'view.get_receipt',
  'view.post_receipt',
  'view.search_receipt',
  'view.patch_receipt',
  'view.delete_receipt',
  'view.void_receipt',
  'view.export_receipt',
  'view.assign_receipt',
  'view.unassign_receipt',
  'view.send_receipt',
  'view.post_gift_receipt',
  'view.get_store',
  'view.put_portal_user',
  'view.reset_portal_user',
  'view.get_report',
] satisfies readonly (typeof resourcePermissions)[number][];

/** The names that a client's `permissions` may contain. */
export const permissionNames: readonly string[] = [everyPermission, ...resourcePermissions];

const known: ReadonlySet<string> = new Set(permissionNames);

/** True if the permissions `held` include `wanted`. Only `view.*` includes `view.*`. */
export function holdsPermission(held: readonly string[], wanted: string): boolean {
  return held.includes(everyPermission) || held.includes(wanted);
}

const permissionField = z
  .string()
  .refine((name) => known.has(name), {
    error: 'is not a known permission',
    params: { code: 'unknown_permission' },
  })
  .meta({ enum: [...permissionNames] });

const permissionsMax = 100;

export const permissionsField = z.array(permissionField).max(permissionsMax);
