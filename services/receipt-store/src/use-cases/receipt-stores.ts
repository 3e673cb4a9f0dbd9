import {
  adminContracts,
  storeExists,
  storeNotAllowed,
  unknownStore,
  type Retailer,
  type StoreRecord,
  storeNamed,
} from '@receipts/contracts';
import {
  concurrentWrite,
  schemaValidationFailed,
  ServiceError,
  unavailable,
  type Call,
  type Input,
} from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { namesOf, type StoreDirectory } from '../storage/directories';
import type { Submission } from './submission';

type PostedStore = Input<typeof adminContracts.savePostedStore>['body'];
interface SavedStore {
  readonly store: StoreRecord;
}

/** The queries of one batch, so that a hundred receipts from one unknown store cause one query. */
export type Lookups = Map<string, Promise<unknown>>;

/** Finds the stores of receipts, and saves those contained in receipts. */
export class ReceiptStores {
  constructor(
    private readonly stores: StoreDirectory,
    private readonly ask: Broker['ask'],
  ) {}

  /**
   * Saves the store contained in a receipt, if the retailer allows it. Admin owns the store, so the request goes to
   * admin.
   */
  async storeOf(
    { posted, call }: Submission,
    retailer: Retailer,
    lookups: Lookups,
  ): Promise<StoreRecord | undefined> {
    const { from_receipt: fromReceipt } = retailer.settings.stores;
    const { store_reference: reference, store: postedStore } = posted;
    if (postedStore) {
      if (!fromReceipt) throw new ServiceError(storeNotAllowed);
      const { store } = await this.saveStoreOnce(
        { store_reference: reference, store: postedStore },
        call,
        lookups,
      );
      await this.stores.apply([store]);
      return store;
    }
    const earlier = await savedStore(lookups, call, reference)?.catch(() => undefined);
    if (earlier && isNamedBy(reference, earlier.store)) return earlier.store;
    return this.findStore(reference, retailer, call, lookups);
  }

  /** @throws ServiceError 422 `store_not_found` if the store is unknown and the retailer requires known stores */
  async findStore(
    reference: string | number,
    { settings }: Retailer,
    call: Call,
    lookups: Lookups = new Map(),
  ): Promise<StoreRecord | undefined> {
    const store =
      storeNamed(reference, namesOf(this.stores, call.retailer)) ??
      (await this.askForStore(reference, call, lookups));
    if (!store && settings.stores.require_known) throw new ServiceError(unknownStore);
    return store;
  }

  /** Receipts with the same store save it one after another, and only if something has changed. */
  private saveStoreOnce(body: PostedStore, call: Call, lookups: Lookups): Promise<SavedStore> {
    const text = JSON.stringify(body.store);
    const last = savedStore(lookups, call, body.store_reference);
    if (last?.text === text) return last;
    const saved = (last ?? Promise.resolve()).catch(() => undefined).then(() => this.saveStore(body, call));
    lookups.set(savedStoreKey(call, body.store_reference), Object.assign(saved, { text }));
    return saved;
  }

  private async saveStore(body: PostedStore, call: Call): Promise<SavedStore> {
    try {
      return (await this.ask(adminContracts.savePostedStore, { body }, call)).body;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // Never causes a 409, because tills interpret that as "this receipt exists".
      if (error.code === concurrentWrite.code) throw new ServiceError(unavailable, { cause: error });
      if (error.code !== storeExists.code) throw error;
      const message = 'has the reference or external reference of another store';
      const errors = [{ path: '/store', code: storeExists.code, message }];
      throw new ServiceError(schemaValidationFailed, { errors });
    }
  }

  /** The local copy may not contain a new store yet, and the store of a receipt is determined only once. */
  private async askForStore(
    reference: string | number,
    call: Call,
    lookups: Lookups,
  ): Promise<StoreRecord | undefined> {
    const key = `store|${call.retailer}|${reference}`;
    const store = await once(lookups, key, async () => {
      const body = { reference: String(reference) };
      const answer = await this.ask(adminContracts.findStore, { body }, call);
      return answer.body.store ?? undefined;
    });
    if (!store) return undefined;
    await this.stores.apply([store]);
    return isNamedBy(reference, store) ? store : undefined;
  }
}

/** A number is never an external reference. */
function isNamedBy(reference: string | number, store: StoreRecord): boolean {
  return typeof reference === 'string' || store.reference === reference;
}

function savedStoreKey({ retailer }: Call, reference: string | number): string {
  return `posted store|${retailer}|${reference}`;
}

/** The store that the most recent earlier receipt contained under this reference. */
function savedStore(lookups: Lookups, call: Call, reference: string | number) {
  const saved = lookups.get(savedStoreKey(call, reference));
  return saved as (Promise<SavedStore> & { readonly text: string }) | undefined;
}

export async function once<T>(lookups: Lookups, key: string, ask: () => Promise<T>): Promise<T> {
  let answer = lookups.get(key) as Promise<T> | undefined;
  if (!answer) {
    answer = ask();
    lookups.set(key, answer);
  }
  return answer;
}
