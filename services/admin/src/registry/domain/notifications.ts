import {
  failingChecksPercentDefault,
  holdsPermission,
  notificationPermissions,
  type Notifications,
  type NotificationType,
  type PostedNotifications,
} from '@receipts/contracts';

/** The choice of a user after a change; unchanged if the change does not mention it. Null if the user gets none. */
export function notificationsAfter(
  current: Notifications | null,
  posted: PostedNotifications | null | undefined,
): Notifications | null {
  if (posted === undefined) return current;
  if (posted === null || posted.types.length === 0) return null;
  const { types, stores = null, failing_checks_percent: percent, language = null } = posted;
  return {
    types: [...new Set(types)],
    stores: stores && [...new Set(stores.map(String))],
    failing_checks_percent: percent ?? failingChecksPercentDefault,
    language,
  };
}

/** Those of the types for which a user has the permission. */
export function permittedTypes(
  types: readonly NotificationType[],
  permissions: readonly string[],
): NotificationType[] {
  return types.filter((type) => holdsPermission(permissions, notificationPermissions[type]));
}
