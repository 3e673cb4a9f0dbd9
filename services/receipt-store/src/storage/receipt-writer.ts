import type { Collection } from 'mongodb';
import { backoffMs, BatchScheduler, pause } from '@receipts/concurrency';
import { retrySoon, ServiceError, unavailable, type TimeLimit } from '@receipts/kernel';
import {
  deadlineSignal,
  insertDocuments,
  insertError,
  isDuplicateKey,
  toUnavailableError,
  type InsertFailure,
} from '@receipts/storage';
import { receiptIndexes, type ReceiptDocument, type StoredReceipt } from './receipt-document';
import { awaitedTransactions } from '../domain/related';
import type { LastPosition, Receipts, TakenReceipt } from './receipts';

/** A receipt without an arrival position. */
export type NewReceipt = Omit<ReceiptDocument, keyof LastPosition>;

/**
 * The outcome for a receipt: stored at this position, rejected because another receipt has one of its ids, or failed
 * with an error.
 */
export type WriteOutcome = LastPosition | TakenReceipt | ServiceError;

interface Waiting extends TimeLimit {
  readonly receipt: NewReceipt;
  readonly resolve: (outcome: WriteOutcome) => void;
  readonly reject: (error: Error) => void;
}

const batchCountMax = 256;
/** A search document can be 60 times as large as its text, and a command is limited to 48 MB. */
const batchTextMax = 700_000;
/** The maximum number of retailers whose last number is cached, about 100 bytes each. */
const knownRetailersMax = 50_000;
/**
 * After losing more than this many races in a row, a writer pauses briefly, so that other writers for the same retailer can
 * proceed.
 */
const patientLossesMax = 2;
const jitterMaxMs = 64;
/** The number of times that a receipt is sent again if a duplicate-key error has no conflicting receipt. */
const unexplainedMax = 3;

/**
 * Appends receipts to their retailers' orders of arrival. One batch at a time takes all waiting receipts, numbers each
 * retailer's receipts after the last number, and sends them in one ordered insert, which stops at the first error. A number
 * therefore exists only if its predecessor exists, regardless of which process writes or crashes, and readers need no
 * coordination with writers.
 */
export class ReceiptWriter {
  private waiting: Waiting[] = [];
  private readonly scheduler = new BatchScheduler<Waiting>({
    waitingCount: () => this.waiting.length,
    take: () => this.take(),
    run: (batch) => this.run(batch),
    concurrency: 1,
  });
  /** The last known position of each retailer. Other writers may be ahead of it. */
  private readonly last = new Map<string, LastPosition>();

  constructor(
    private readonly collection: Collection<StoredReceipt>,
    private readonly receipts: Pick<Receipts, 'lastPosition' | 'findTaken'>,
  ) {}

  /** Appends receipts in order, each to its retailer's order of arrival. Each receipt has its own outcome. */
  add(receipts: readonly NewReceipt[], { deadline }: TimeLimit): Promise<readonly WriteOutcome[]> {
    const outcomes = receipts.map(
      (receipt) =>
        new Promise<WriteOutcome>((resolve, reject) =>
          this.waiting.push({ receipt, deadline, resolve, reject }),
        ),
    );
    this.scheduler.schedule();
    return Promise.all(outcomes);
  }

  /** Resolves when all writing has finished. */
  drain(): Promise<void> {
    return this.scheduler.idle();
  }

  private async run(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.write(batch);
    } catch (error) {
      for (const one of batch) fail(one, error as Error);
    }
  }

  /** Receipts that share an id with an earlier receipt wait for the next batch, where the unique index decides. */
  private take(): Waiting[] {
    const batch: Waiting[] = [];
    const later: Waiting[] = [];
    const taken = new Set<string>();
    let textLength = 0;
    let at = 0;
    for (; at < this.waiting.length && batch.length < batchCountMax; at++) {
      const one = this.waiting[at] as Waiting;
      textLength += one.receipt.text.length;
      if (batch.length > 0 && textLength > batchTextMax) break;
      const names = namesOf(one.receipt);
      if (names.some((name) => taken.has(name))) later.push(one);
      else {
        for (const name of names) taken.add(name);
        batch.push(one);
      }
    }
    this.waiting = [...later, ...this.waiting.slice(at)];
    return batch;
  }

  private async write(batch: readonly Waiting[]): Promise<void> {
    let left = inTime(batch);
    let losses = 0;
    let unexplained = 0;
    while (left.length > 0) {
      await this.learnLastNumbers(left);
      const documents = this.numbered(left);
      const { count, fault } = await insertInOrder(this.collection, documents, deadlineSignal(left));
      documents.slice(0, count).forEach((document, i) => {
        const position = positionOf(document);
        this.last.set(document.retailer, position);
        left[i]?.resolve(position);
      });
      left = left.slice(count);
      if (!fault) return;
      if (fault.kind === 'number taken') {
        if (count > 0) losses = 0;
        await this.loseRace(left, ++losses);
      } else {
        const before = left.length;
        left = await this.afterFault(fault, left);
        unexplained = left.length < before ? 0 : unexplained + 1;
        if (unexplained === unexplainedMax) throw new ServiceError(unavailable, { internal: fault.kind });
      }
      left = inTime(left);
    }
  }

  /**
   * Another process has written for at least one of the retailers. The cached numbers of the others are probably old as
   * well.
   */
  private async loseRace(left: readonly Waiting[], losses: number): Promise<void> {
    for (const { receipt } of left) this.last.delete(receipt.retailer);
    if (losses > patientLossesMax) await pause(Math.random() * backoffMs(losses, 1, jitterMaxMs));
  }

  /** Settles the receipts affected by the fault and returns the others, which are sent again. */
  private async afterFault(fault: InsertFault, left: readonly Waiting[]): Promise<readonly Waiting[]> {
    if (fault.kind === 'refused') {
      fail(left[0] as Waiting, fault.error);
      return left.slice(1);
    }
    if (fault.kind === 'failed') {
      // One of the receipts may have caused the fault.
      if (left.length === 1) fail(left[0] as Waiting, fault.error);
      else for (const one of left) await this.write([one]);
      return [];
    }
    // Writes with an unknown outcome may still be applied; they then conflict with the numbers and ids of the receipts
    // that are sent again.
    if (fault.kind === 'unknown') for (const { receipt } of left) this.last.delete(receipt.retailer);
    const timeLimit = { deadline: Math.max(...left.map(({ deadline }) => deadline)) };
    const taken = await this.receipts.findTaken(
      left.map(({ receipt }) => receipt),
      timeLimit,
    );
    return left.filter(({ resolve }, i) => {
      const inTheWay = taken[i];
      if (inTheWay) resolve(inTheWay);
      return !inTheWay;
    });
  }

  private async learnLastNumbers(left: readonly Waiting[]): Promise<void> {
    if (this.last.size > knownRetailersMax) this.last.clear();
    const retailers = new Set(left.map(({ receipt }) => receipt.retailer));
    const unknown = [...retailers].filter((retailer) => !this.last.has(retailer));
    if (unknown.length === 0) return;
    const timeLimit = { deadline: Math.max(...left.map(({ deadline }) => deadline)) };
    const learn = async (retailer: string) =>
      this.last.set(retailer, await this.receipts.lastPosition(retailer, timeLimit));
    await Promise.all(unknown.map(learn));
  }

  private numbered(left: readonly Waiting[]): ReceiptDocument[] {
    const last = new Map<string, LastPosition>();
    return left.map(({ receipt }) => {
      const { retailer } = receipt;
      const { arrival, may_be_awaited: wait } = last.get(retailer) ??
        this.last.get(retailer) ?? { arrival: 0 };
      const isMarked = wait === true || awaitedTransactions(receipt.related).length > 0;
      const mark = isMarked ? ({ may_be_awaited: true } as const) : undefined;
      last.set(retailer, { arrival: arrival + 1, ...mark });
      return { arrival: arrival + 1, ...receipt, ...mark };
    });
  }
}

const positionOf = ({ arrival, may_be_awaited: isMarked }: LastPosition): LastPosition => ({
  arrival,
  ...(isMarked && { may_be_awaited: isMarked }),
});

/** Why an ordered insert stopped. */
type InsertFault =
  /** The number of the first unstored receipt is in use, because another writer was faster. */
  | { readonly kind: 'number taken' }
  /** An id of the first unstored receipt is in use. */
  | { readonly kind: 'id taken' }
  /** The first unstored receipt is invalid and can never be stored. */
  | { readonly kind: 'refused'; readonly error: Error }
  /** The whole command failed, and nothing was stored. */
  | { readonly kind: 'failed'; readonly error: Error }
  /** The outcome is unknown: some receipts may have been stored, or may be stored later. */
  | { readonly kind: 'unknown'; readonly error: ServiceError };

interface Inserted {
  /** The number of receipts, from the first, that are stored durably. */
  readonly count: number;
  /** Absent if all are stored. */
  readonly fault?: InsertFault;
}

/** Inserts documents, possibly of several retailers, in order, up to the first failure. Never throws. */
async function insertInOrder(
  collection: Collection<StoredReceipt>,
  documents: readonly ReceiptDocument[],
  signal: AbortSignal,
): Promise<Inserted> {
  try {
    const [first] = await insertDocuments<StoredReceipt>(collection, documents, { ordered: true, signal });
    return first ? { count: first.index, fault: faultOf(first) } : { count: documents.length };
  } catch (error) {
    const passing = error instanceof ServiceError ? error : toUnavailableError(error);
    return {
      count: 0,
      fault: passing ? { kind: 'unknown', error: passing } : { kind: 'failed', error: error as Error },
    };
  }
}

function faultOf(failure: InsertFailure): InsertFault {
  if (isDuplicateKey(failure, receiptIndexes.arrival.name)) return { kind: 'number taken' };
  if (isDuplicateKey(failure)) return { kind: 'id taken' };
  const error = insertError(failure);
  const passing = toUnavailableError(error);
  return passing ? { kind: 'unknown', error: passing } : { kind: 'refused', error };
}

/** All unique values of a receipt. */
function namesOf({ _id, retailer, transaction_id, external_id, idem }: NewReceipt): string[] {
  const names = [`${retailer}|i|${_id}`, `${retailer}|t|${transaction_id}`];
  if (idem !== undefined) names.push(`${retailer}|k|${idem.key}`);
  if (external_id !== undefined) names.push(`${retailer}|e|${external_id}`);
  return names;
}

function fail({ resolve, reject }: Waiting, error: Error): void {
  const known = error instanceof ServiceError ? error : toUnavailableError(error);
  if (known) resolve(known);
  else reject(error);
}

/** The entries whose callers are still waiting. The others are settled as timed out. */
function inTime(waiting: readonly Waiting[]): readonly Waiting[] {
  const now = Date.now();
  return waiting.filter(({ deadline, resolve }) => {
    const isWaiting = deadline > now;
    if (!isWaiting) {
      resolve(retrySoon(unavailable, { internal: 'too late' }));
    }
    return isWaiting;
  });
}
