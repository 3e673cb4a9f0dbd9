import {
  receiptStoreContracts,
  storeNamed,
  type NotifiedUser,
  type StoreNames,
  type TotalsQuery,
} from '@receipts/contracts';
import type { ModuleDependencies } from '../../module-dependencies';
import type { Mail } from '../../rendering/mail/mail';
import { knownStores, namesOf, type KnownStore } from '../known-stores';
import { alertsMail } from '../mail/alerts-mail';
import { filled, notificationTexts } from '../mail/texts';
import { totalsMail } from '../mail/totals-mail';
import { callFor, type Asking } from '../notified-users';
import { areFurtherFull, type AlertCause, type FurtherCauses } from '../domain/alerts';
import type { NotificationContent, NotificationDocument, Notifications } from '../storage/notifications';

export interface ComposingDependencies extends Asking, Pick<ModuleDependencies, 'retailer'> {
  readonly notifications: Pick<Notifications, 'storesSent'>;
  /** The public URL of the platform, without a trailing slash. */
  readonly publicUrl: string;
}

export interface Composed {
  readonly mail: Mail;
  /** The references of the stores whose totals it contains. */
  readonly stores: readonly string[];
}

const linksFor = ({ unsubscribe }: NotifiedUser, { publicUrl }: ComposingDependencies) => ({
  publicUrl,
  unsubscribe,
});

type TotalsContent = Extract<NotificationContent, { readonly type: 'daily_totals' }>;

/** The totals of the stores in one time zone, without those that another e-mail about the day contained. */
async function composeTotals(
  notification: NotificationDocument,
  { day, timeZone }: TotalsContent,
  user: NotifiedUser,
  deps: ComposingDependencies,
): Promise<Composed | undefined> {
  const call = callFor(user, deps);
  const { name, settings } = await deps.retailer(user.retailer, call);
  const names = namesOf(await knownStores(call, deps));
  const totalsOf = async (group: TotalsQuery['group_by'], references?: readonly string[]) => {
    const query = { from: day, to: day, group_by: group };
    const asked = references ? { ...call, stores: references } : call;
    return (await deps.ask(receiptStoreContracts.getTotals, { query }, asked)).body.totals;
  };
  const earlier = new Set(await deps.notifications.storesSent(notification, day));
  const rows = (await totalsOf(['store'])).flatMap((row) => {
    const { store_reference: text = '' } = row;
    const store = storeNamed(text, names);
    const zone = store?.timezone ?? settings.timezone;
    const reference = store ? String(store.reference) : text;
    if (zone !== timeZone || earlier.has(reference)) return [];
    const shown = store?.name ?? filled(notificationTexts[user.language].unknownStore, { reference });
    return [{ reference, store: shown, row }];
  });
  if (rows.length === 0) return undefined;
  const references = [...new Set(rows.map(({ reference }) => reference))];
  const overall = references.length === 1 ? [] : await totalsOf(['currency'], references);
  const totals = { retailer: name, day, stores: rows, overall };
  return { mail: totalsMail(totals, user.language, linksFor(user, deps)), stores: references };
}

/** Whether a user is to know of causes: those that concern a store only if the user has chosen the store. */
function concerns(
  cause: AlertCause | FurtherCauses,
  user: NotifiedUser,
  names: StoreNames<KnownStore>,
): boolean {
  if (!user.types.includes(cause.type)) return false;
  const store = 'store' in cause ? cause.store : null;
  return user.stores === null || store === null || storeNamed(store, names) !== undefined;
}

/** @returns undefined if there is nothing that the user may and wants to know */
export async function composeMail(
  notification: NotificationDocument,
  user: NotifiedUser,
  deps: ComposingDependencies,
): Promise<Composed | undefined> {
  const { content } = notification;
  if (content.type === 'daily_totals') {
    if (!user.types.includes('daily_totals')) return undefined;
    return composeTotals(notification, content, user, deps);
  }
  const call = callFor(user, deps);
  const { name, settings } = await deps.retailer(user.retailer, call);
  const names = namesOf(await knownStores(call, deps));
  const causes = content.causes.filter((cause) => concerns(cause, user, names));
  const further = content.further.filter((cause) => concerns(cause, user, names));
  if (causes.length + further.length === 0) return undefined;
  const placeOf = (reference: string) => {
    const store = storeNamed(reference, names);
    const shown = store?.name ?? filled(notificationTexts[user.language].unknownStore, { reference });
    return { name: shown, timeZone: store?.timezone ?? settings.timezone };
  };
  return {
    mail: alertsMail(
      { retailer: name, causes, further, isAtLeast: areFurtherFull(content.further), placeOf },
      user.language,
      linksFor(user, deps),
    ),
    stores: [],
  };
}
