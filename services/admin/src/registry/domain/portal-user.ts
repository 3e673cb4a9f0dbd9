import { isDeepStrictEqual } from 'node:util';
import {
  invalidPortalUser,
  portalUserNotManageable,
  resetLimited,
  type Notifications,
  type PortalLanguage,
  type PostedPortalUser,
} from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { notificationsAfter } from './notifications';

/** A stored user of the retailer portal. */
export interface PortalUserRecord {
  readonly retailer: string;
  /** Unique per retailer. Events and logs use it instead of the address, which is personal data. */
  readonly id: number;
  /** In lower case; unique across retailers. */
  readonly email: string;
  /** Who may change the user: the retailer's API cannot change users that the operator has created. */
  readonly managedBy: 'retailer' | 'operator';
  /** Empty if the user has no group. */
  readonly group: string;
  /** The references of the stores that the user may see, unless its group allows fewer; null for all stores. */
  readonly stores: readonly string[] | null;
  readonly status: 'active' | 'inactive';
  /** The e-mails about the business that the user gets; null for none. */
  readonly notifications: Notifications | null;
  /** The password hash; null until the user has set a password. */
  readonly password: string | null;
  readonly reset: PasswordReset | null;
  /** The times of the latest reset requests. */
  readonly resetRequests: readonly Date[];
  readonly version: number;
}

/** A link for setting a password, valid once. Its secret part is encrypted. */
export interface PasswordReset {
  readonly id: string;
  readonly secret: string;
  readonly expires: Date;
  /** The language in which the user requested the link; absent if someone else did. */
  readonly language?: PortalLanguage;
}

const hourMs = 3_600_000;
/** The limit is three per hour and address. */
const resetsPerHourMax = 3;
const resetLivesMs = 24 * hourMs;

/** @throws ServiceError 400 for a group that is not configured */
export function checkGroup(group: string, configured: readonly string[]): void {
  if (group === '' || configured.includes(group)) return;
  const message = 'is not a configured group';
  throw new ServiceError(invalidPortalUser, { errors: [{ path: '/group', code: 'unknown_group', message }] });
}

/** The stores of a user after a change; unchanged if it does not mention them. */
export function storesAfter(
  current: readonly string[] | null,
  { stores }: Pick<PostedPortalUser, 'stores'>,
): readonly string[] | null {
  if (stores === undefined) return current;
  return stores && [...new Set(stores.map(String))];
}

type Changes = Pick<PostedPortalUser, 'group' | 'status' | 'stores' | 'notifications'>;

export function newPortalUser(
  facts: Pick<PortalUserRecord, 'retailer' | 'id' | 'email' | 'managedBy'>,
  posted: Changes,
): PortalUserRecord {
  const { group, status } = posted;
  const stores = storesAfter(null, posted);
  const notifications = notificationsAfter(null, posted.notifications);
  return {
    ...facts,
    group,
    stores,
    status,
    notifications,
    password: null,
    reset: null,
    resetRequests: [],
    version: 1,
  };
}

/** @throws ServiceError 404 if the user belongs to another retailer, or is managed by the operator */
export function checkManageable(
  user: PortalUserRecord,
  retailer: string,
  by: PortalUserRecord['managedBy'],
): void {
  const isManageable = user.retailer === retailer && (by === 'operator' || user.managedBy === 'retailer');
  if (!isManageable) throw new ServiceError(portalUserNotManageable);
}

/** @returns the same object if nothing changes */
export function updatePortalUser(current: PortalUserRecord, posted: Changes): PortalUserRecord {
  const { group, status } = posted;
  const stores = storesAfter(current.stores, posted);
  const notifications = notificationsAfter(current.notifications, posted.notifications);
  const isSame = isDeepStrictEqual([stores, notifications], [current.stores, current.notifications]);
  if (group === current.group && status === current.status && isSame) return current;
  return { ...current, group, stores, status, notifications, version: current.version + 1 };
}

/** @returns the same object if nothing changes */
export function withNotifications(
  current: PortalUserRecord,
  posted: PostedPortalUser['notifications'],
): PortalUserRecord {
  const { group, status } = current;
  return updatePortalUser(current, { group, status, notifications: posted });
}

/** @throws ServiceError 429 if there were too many resets within an hour */
export function checkResetsLeft(user: PortalUserRecord, now: Date): void {
  const recent = user.resetRequests.filter((at) => now.getTime() - at.getTime() < hourMs);
  if (recent.length < resetsPerHourMax) return;
  const oldest = Math.min(...recent.map((at) => at.getTime()));
  const waitSeconds = Math.max(1, Math.ceil((oldest + hourMs - now.getTime()) / 1000));
  throw new ServiceError(resetLimited, { headers: { 'retry-after': String(waitSeconds) } });
}

/** Adds a reset, which replaces any earlier reset. Invitations do not count towards the limit. */
export function withReset(
  current: PortalUserRecord,
  reset: Omit<PasswordReset, 'expires'>,
  now: Date,
  isInvitation: boolean,
): PortalUserRecord {
  return {
    ...current,
    reset: { ...reset, expires: new Date(now.getTime() + resetLivesMs) },
    resetRequests: isInvitation
      ? current.resetRequests
      : [...current.resetRequests, now].slice(-resetsPerHourMax),
    version: current.version + 1,
  };
}

export function isResetValid(reset: PasswordReset, now: Date): boolean {
  return reset.expires.getTime() > now.getTime();
}

/** Sets the password and invalidates the link. */
export function withPassword(current: PortalUserRecord, hash: string): PortalUserRecord {
  return { ...current, password: hash, reset: null, version: current.version + 1 };
}
