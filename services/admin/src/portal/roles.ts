import { everyPermission, permissionNames } from '@receipts/contracts';
import { messageKey, type Language } from '../pages/language';

const clerk = [
  'view.get_receipt',
  'view.search_receipt',
  'view.send_receipt',
  'view.assign_receipt',
  'view.post_gift_receipt',
  'view.get_store',
];
const storeManager = [
  ...clerk,
  'view.patch_receipt',
  'view.void_receipt',
  'view.unassign_receipt',
  'view.get_report',
  'view.put_portal_user',
  'view.reset_portal_user',
];
/** Credentials, mappings and webhooks are the business of developers. */
const technical = [
  'view.manage_mapping',
  'view.manage_webhook',
  'view.get_client',
  'view.post_client',
  'view.patch_client',
  'view.post_receipt',
  'view.post_pos_receipt',
  'view.post_pos_data',
  'view.post_attachment',
];

/**
 * Groups with permissions for usual tasks, so that nobody must choose from the list of permissions. A role becomes a
 * group of the retailer with this name when its first user is invited.
 */
export const roles: Readonly<Record<string, readonly string[]>> = {
  clerk,
  store_manager: storeManager,
  head_office: permissionNames.filter((name) => name !== everyPermission && !technical.includes(name)),
  auditor: [
    'view.get_receipt',
    'view.search_receipt',
    'view.export_receipt',
    'view.get_report',
    'view.get_store',
    'view.get_packet',
    'view.get_attachment',
    'view.get_events',
  ],
  developer: [
    ...technical,
    'view.get_receipt',
    'view.search_receipt',
    'view.get_packet',
    'view.reprocess_packet',
    'view.get_attachment',
    'view.get_events',
    'view.get_store',
    'view.post_store',
    'view.patch_store',
  ],
};

/** The name of a group as readers see it: roles have a name in each language. */
export function groupName(group: string, { t }: Language): string {
  const key = Object.hasOwn(roles, group) ? messageKey(`role.${group}`) : undefined;
  return key ? t(key) : group;
}
