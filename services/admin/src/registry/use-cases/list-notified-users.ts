import { snapshotCountMax, type NotifiedUser, type Store } from '@receipts/contracts';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { mailLanguage } from '../domain/mail-language';
import { sealUnsubscribing } from '../unsubscribing';
import { permittedTypes } from '../domain/notifications';
import { userPermissions, userStores } from '../domain/portal-group';
import type { PortalUserRecord } from '../domain/portal-user';
import type { RetailerRecord } from '../domain/retailer';
import { hasReference } from '../domain/store';

type Stores = Registry['stores'];

/** The stores among these references that also the second list names, whichever of their references it uses. */
async function storesInBoth(
  stores: Stores,
  retailer: string,
  [some, others]: readonly [readonly string[], readonly string[]],
  signal: AbortSignal,
): Promise<string[]> {
  const page = { below: undefined, count: snapshotCountMax };
  const known: Store[] = await stores.newestOf(retailer, some, page, signal);
  return known.filter((store) => hasReference(store, others)).map(({ reference }) => String(reference));
}

export function listNotifiedUsers(deps: Registry): HandlerOf<'listNotifiedUsers'> {
  const { portalUsers, retailers, stores, sealer, publicUrl } = deps;

  async function storesOf(
    user: PortalUserRecord,
    { settings }: RetailerRecord,
    signal: AbortSignal,
  ): Promise<string[] | null> {
    const visible = userStores(user, settings);
    const chosen = user.notifications?.stores ?? undefined;
    if (visible && chosen) return storesInBoth(stores, user.retailer, [chosen, visible], signal);
    const either = visible ?? chosen;
    return either ? [...either] : null;
  }

  async function notifiedUser(user: PortalUserRecord, signal: AbortSignal): Promise<NotifiedUser[]> {
    const retailer = await retailers.find(user.retailer, signal);
    const { notifications, status, id, email } = user;
    if (!retailer || !notifications || status !== 'active') return [];
    const types = permittedTypes(notifications.types, userPermissions(user, retailer.settings));
    if (types.length === 0) return [];
    return [
      {
        retailer: user.retailer,
        id,
        email,
        types,
        stores: await storesOf(user, retailer, signal),
        failing_checks_percent: notifications.failing_checks_percent,
        language: notifications.language ?? mailLanguage(retailer.settings.locale),
        unsubscribe: `${publicUrl}/portal/unsubscribe/${sealUnsubscribing(sealer, user)}`,
      },
    ];
  }

  return async ({ body: { retailer, id, after, count } }, call) => {
    const signal = deadlineSignal(call);
    if (retailer !== undefined && id !== undefined) {
      const user = await portalUsers.findById(retailer, id, signal);
      return { body: { users: user ? await notifiedUser(user, signal) : [], next: null } };
    }
    const { records, next } = await portalUsers.notified(retailer, after, count, signal);
    const users = await Promise.all(records.map((user) => notifiedUser(user, signal)));
    return { body: { users: users.flat(), next } };
  };
}
