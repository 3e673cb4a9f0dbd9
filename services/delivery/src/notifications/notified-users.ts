import {
  adminContracts,
  snapshotCountMax,
  type NotificationType,
  type NotifiedUser,
} from '@receipts/contracts';
import { serviceCall, type Call } from '@receipts/kernel';
import type { ModuleDependencies } from '../module-dependencies';

export type Asking = Pick<ModuleDependencies, 'ask' | 'now'>;

/** Reports of many stores may take a moment. */
const timeoutMs = 20_000;

export const retailerCall = (retailer: string, { now }: Pick<Asking, 'now'>): Call =>
  serviceCall('delivery', now().getTime(), retailer, timeoutMs);

/** A call that finds only what the user may see and has chosen. */
export const callFor = ({ retailer, stores }: NotifiedUser, asking: Asking): Call => ({
  ...retailerCall(retailer, asking),
  ...(stores && { stores }),
});

/** The portal users who get e-mails of these types, page by page: of one retailer, or of all. */
export async function* notifiedUsers(
  types: readonly NotificationType[],
  asking: Asking,
  retailer?: string,
): AsyncGenerator<readonly NotifiedUser[], void> {
  let after: string | undefined;
  do {
    const body = {
      count: snapshotCountMax,
      ...(after && { after }),
      ...(retailer !== undefined && { retailer }),
    };
    const page = (await asking.ask(adminContracts.listNotifiedUsers, { body }, retailerCall('', asking)))
      .body;
    yield page.users.filter((user) => user.types.some((type) => types.includes(type)));
    after = page.next ?? undefined;
  } while (after !== undefined);
}

/** A portal user as admin knows it at this moment; undefined if the user may get no e-mails any more. */
export async function notifiedUser(
  { retailer, user }: { readonly retailer: string; readonly user: number },
  asking: Asking,
): Promise<NotifiedUser | undefined> {
  const body = { retailer, id: user, count: 1 };
  const call = retailerCall('', asking);
  return (await asking.ask(adminContracts.listNotifiedUsers, { body }, call)).body.users[0];
}
