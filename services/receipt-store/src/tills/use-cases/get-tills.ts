import {
  ingestContracts,
  localDate,
  type getTills as contract,
  type Retailer,
  type TillContact,
  storeNamed,
} from '@receipts/contracts';
import { delegatedCall, timestampOf, type Call, type Handler } from '@receipts/kernel';
import { storeKey } from '../../domain/store-reference';
import { namesOf } from '../../storage/directories';
import { localtimeOf } from '../../totals/domain/sale';
import { tillId, type KnownTill, type Till } from '../../totals/domain/till';
import { byText } from '../../totals/domain/totals-rows';
import type { Dependencies } from '../../use-cases/dependencies';
import { visibleTo } from '../../use-cases/visible-to';
import { lastReceivedOf, matchContacts } from '../domain/match-contacts';
import { instantOf } from '../domain/opening-time';
import { openingTimeOf } from '../tasks/opening-time-of';

/** No day of a store began earlier than this: a day in which clocks go back has 25 hours. */
const dayMsMax = 25 * 60 * 60_000;
/** The time zones in which a day begins first and last. */
const [firstZone, lastZone] = ['Pacific/Kiritimati', 'Etc/GMT+12'] as const;

/** A till with what is known from its packets; `known` is absent if there are no receipts. */
interface ListedTill {
  readonly till: Till;
  readonly known?: KnownTill;
  readonly contacts: readonly TillContact[];
}

/** What day it is in the store of a till, and when that day began. */
function todayIn({ stores }: Dependencies, retailer: Retailer, at: Date) {
  const starts = new Map<string, { readonly day: string; readonly start: number }>();
  return (till: Till) => {
    const { timeZone } = openingTimeOf(till, stores, retailer);
    const day = localDate(at, timeZone);
    const today = starts.get(timeZone) ?? { day, start: instantOf(day, '00:00', timeZone) };
    starts.set(timeZone, today);
    return today;
  };
}

async function findContacts({ ask, now }: Dependencies, at: Date, call: Call): Promise<TillContact[]> {
  const inner = delegatedCall('receipt-store', call, now().getTime());
  const since = timestampOf(new Date(at.getTime() - dayMsMax));
  return (await ask(ingestContracts.findTillContacts, { body: { since } }, inner)).body.contacts;
}

type StoreKeys = readonly string[] | undefined;

/** The number of receipts of a day and a till, for every day that is today somewhere. */
async function countReceipts({ totals }: Dependencies, at: Date, storeKeys: StoreKeys, call: Call) {
  const filter = { from: localDate(at, lastZone), to: localDate(at, firstZone), storeKeys };
  const counts = new Map<string, number>();
  for (const { bucket, sums } of await totals.read(call.retailer, filter, call)) {
    const key = `${bucket.day} ${tillId(bucket)}`;
    counts.set(key, (counts.get(key) ?? 0) + sums.count('receipts'));
  }
  return (day: string, till: Till) => counts.get(`${day} ${tillId(till)}`) ?? 0;
}

/** The tills that the caller may see: those with receipts, and those that have only sent raw data. */
async function findTills(
  deps: Dependencies,
  at: Date,
  storeKeys: StoreKeys,
  call: Call,
): Promise<ListedTill[]> {
  const known = await deps.totals.readTills(call.retailer, call);
  const { of, others } = matchContacts(known, await findContacts(deps, at, call));
  const names = namesOf(deps.stores, call.retailer);
  const unknown = others.flatMap((contact): ListedTill[] => {
    const { store_reference: store, till_uuid: till } = contact;
    if (store === null) return [];
    return [
      { till: { storeKey: storeKey(store, storeNamed(store, names)), store, till }, contacts: [contact] },
    ];
  });
  const all = [...known.map((till) => ({ till, known: till, contacts: of.get(till) ?? [] })), ...unknown];
  return storeKeys ? all.filter(({ till }) => storeKeys.includes(till.storeKey)) : all;
}

/** Lists the tills of a retailer. */
export function getTills(deps: Dependencies): Handler<typeof contract> {
  return async ({ query }, call) => {
    const retailer = await deps.findRetailer(call);
    const at = deps.now();
    const { store_reference: references, till_uuid: ids } = query;
    const { storeKeys } = visibleTo(deps, call, { stores: references });
    const [tills, receiptsOf] = await Promise.all([
      findTills(deps, at, storeKeys, call),
      countReceipts(deps, at, storeKeys, call),
    ]);
    const todayOf = todayIn(deps, retailer, at);
    const rows = tills
      .filter(({ till: { till } }) => !ids || (till !== null && ids.includes(till)))
      .map(({ till, known, contacts }) => {
        const { day, start } = todayOf(till);
        const failed = contacts
          .flatMap((contact) => contact.failed)
          .filter((time) => Date.parse(time) >= start);
        const agent = contacts.find((contact) => contact.agent)?.agent;
        const row = {
          store_reference: till.store,
          till_uuid: till.till,
          last_received: timestampOf(lastReceivedOf(known?.receivedAt, contacts)),
          last_localtime: known?.soldAt ? localtimeOf(known.soldAt) : null,
          receipts_today: receiptsOf(day, till),
          failed_packets_today: failed.length,
          waiting: agent?.waiting ?? null,
          agent_version: agent?.version ?? null,
          clock_difference_s: agent?.clock_difference_s ?? null,
        };
        return { row, isListed: known !== undefined || agent !== undefined || failed.length > 0 };
      })
      .filter(({ isListed }) => isListed)
      .map(({ row }) => row)
      .sort((a, b) => byText(a.store_reference, b.store_reference) || byText(a.till_uuid, b.till_uuid));
    return { body: { tills: rows } };
  };
}
