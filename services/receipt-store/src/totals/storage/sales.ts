import type { Collection } from 'mongodb';
import type { ReturnedReceipt } from '@receipts/contracts';
import { idTimeMs, type TimeLimit } from '@receipts/kernel';
import { Turns } from '@receipts/search';
import { majorityRead } from '@receipts/storage';
import { readSale, saleOf, type Sale } from '../domain/sale';
import type { SaleHistory } from '../domain/sale-changes';
import { receiptIndexes, type StoredReceipt } from '../../storage/receipt-document';

/** The contribution of the receipt with this number to the totals on arrival; undefined if there is none. */
export interface ArrivedSale {
  readonly arrival: number;
  readonly sale: Sale | undefined;
  readonly receivedAt: Date;
}

interface FoundReceipt {
  readonly _id: string;
  readonly arrival: number;
  readonly created?: { readonly at: Date };
  readonly store_key?: string;
  readonly text?: string;
  readonly sale_history?: SaleHistory;
}

const projection = { arrival: 1, 'created.at': 1, store_key: 1, text: 1, 'sale_history.first': 1 } as const;
const receiptsAtOnce = 500;
/** The total length of texts at which a page ends. A single text may be up to 4 MiB long. */
const textLengthMax = 8 * 1024 * 1024;
/** The number of cached contributions, about 1 KB each. Others are read from the receipts. */
const rememberedMax = 20_000;

/** The contribution of a receipt on arrival, which is not affected by later changes. */
function firstSale({ sale_history: history, text, store_key: storeKey = '' }: FoundReceipt) {
  if (history) return readSale(history.first);
  if (text === undefined) return undefined;
  return saleOf(JSON.parse(text) as ReturnedReceipt, storeKey);
}

/** A deleted receipt, or a sample, has only the time in its id. */
const receivedAt = ({ _id, created }: FoundReceipt) => created?.at ?? new Date(idTimeMs(_id));

/** The contributions of receipts to the totals, in their order of arrival. */
export class Sales {
  /** For receipts that this process has stored, so that they need not be read again. */
  private readonly remembered = new Map<string, Map<number, ArrivedSale>>();
  private count = 0;

  constructor(private readonly collection: Collection<StoredReceipt>) {}

  remember(retailer: string, arrived: ArrivedSale): void {
    const { arrival } = arrived;
    if (this.count >= rememberedMax) this.forgetAll();
    const known = this.remembered.get(retailer);
    if (known) known.set(arrival, arrived);
    else this.remembered.set(retailer, new Map([[arrival, arrived]]));
    this.count++;
  }

  /** The cached arrivals that follow a number without a gap, and whether there are others behind a gap. */
  rememberedAfter(retailer: string, arrival: number): { arrivals: ArrivedSale[]; hasGap: boolean } {
    const known = this.remembered.get(retailer) ?? new Map<number, ArrivedSale>();
    for (const past of known.keys()) {
      if (past <= arrival && known.delete(past)) this.count--;
    }
    const arrivals: ArrivedSale[] = [];
    for (let next = known.get(arrival + 1); next; next = known.get(next.arrival + 1)) arrivals.push(next);
    if (known.size === 0) this.remembered.delete(retailer);
    return { arrivals, hasGap: arrivals.length < known.size };
  }

  /** The arrivals after a number, in order: cached arrivals, or a page of stored arrivals. */
  async after(retailer: string, arrival: number, timeLimit: TimeLimit): Promise<readonly ArrivedSale[]> {
    const { arrivals } = this.rememberedAfter(retailer, arrival);
    return arrivals.length > 0 ? arrivals : this.storedAfter(retailer, arrival, timeLimit);
  }

  /** Reads a page from the receipts, regardless of the cache. */
  async storedAfter(retailer: string, arrival: number, timeLimit: TimeLimit): Promise<ArrivedSale[]> {
    const cursor = this.collection.find<FoundReceipt>(
      { retailer, arrival: { $gt: arrival } },
      {
        projection,
        sort: { arrival: 1 },
        limit: receiptsAtOnce,
        hint: receiptIndexes.arrival.name,
        ...majorityRead(timeLimit),
      },
    );
    const turns = new Turns();
    const arrivals: ArrivedSale[] = [];
    let textLength = 0;
    for await (const receipt of cursor) {
      arrivals.push({ arrival: receipt.arrival, sale: firstSale(receipt), receivedAt: receivedAt(receipt) });
      textLength += receipt.text?.length ?? 0;
      if (textLength > textLengthMax) break;
      await turns.between();
    }
    return arrivals;
  }

  private forgetAll(): void {
    this.remembered.clear();
    this.count = 0;
  }
}
