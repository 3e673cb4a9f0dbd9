import { openingHoursOf, type Retailer, storeNamed } from '@receipts/contracts';
import { namesOf, storeOfKey, type StoreDirectory } from '../../storage/directories';
import type { Till } from '../../totals/domain/till';
import type { OpeningTime } from '../domain/opening-time';

/** The time zone and the opening hours of a till's store; the retailer's time zone if the store has none. */
export function openingTimeOf(
  { storeKey, store: reference }: Pick<Till, 'storeKey' | 'store'>,
  stores: StoreDirectory,
  { id, settings }: Pick<Retailer, 'id' | 'settings'>,
): OpeningTime {
  // A store may have become known after the first receipts of its till.
  const store = storeOfKey(stores, id, storeKey) ?? storeNamed(reference, namesOf(stores, id));
  return { timeZone: store?.timezone ?? settings.timezone, hours: store && openingHoursOf(store) };
}
