import { setTimeout as pause } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { ServiceError, unavailable } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { insertInOrder, type InsertFault } from './ordered-insert';
import type { ReceiptDocument, StoredReceipt } from './receipt-document';
import type { Receipts, TakenReceipt } from './receipts';

/** A receipt that has no place in the order of arrival yet. */
export type NewReceipt = Omit<ReceiptDocument, 'seq'>;

/** What became of a receipt: it was added in this place, or this one has one of its ids, or it could not be added. */
export type Added = { readonly seq: number } | TakenReceipt | ServiceError;

interface TimeLimit {
  readonly deadline: number;
}

interface Waiting extends TimeLimit {
  readonly receipt: NewReceipt;
  readonly resolve: (outcome: Added) => void;
  readonly reject: (error: Error) => void;
}

const batchCountMax = 256;
/** A search document can be 60 times as large as its text, and a command holds 48 MB. */
const batchTextMax = 700_000;
/** Numbers of so many retailers are remembered, about 100 bytes each. */
const knownRetailersMax = 50_000;
/** Lost races in a row after which a writer waits a moment, so that of many writers on one retailer each has its turn. */
const patientLossesMax = 2;
const jitterMaxMs = 64;
/** How often a receipt is sent again although nothing was found that is in its way. */
const unexplainedMax = 3;

/**
 * Puts receipts into their retailers' orders of arrival. One loop takes all that wait, numbers each retailer's from the
 * last number on, and sends them in one ordered insert, which stops at the first that is refused. So a number exists
 * only if the one before it does, whoever writes and whoever dies, and readers need to know of no writer.
 */
export class ReceiptWriter {
  private waiting: Waiting[] = [];
  private running: Promise<void> | undefined;
  /** The last number that was seen of each retailer; other writers may be further. */
  private readonly last = new Map<string, number>();

  constructor(
    private readonly collection: Collection<StoredReceipt>,
    private readonly receipts: Pick<Receipts, 'lastNumber' | 'findTaken'>,
  ) {}

  /** Adds receipts in their order, each at the end of its retailer's order of arrival. Each has an outcome of its own. */
  add(receipts: readonly NewReceipt[], { deadline }: TimeLimit): Promise<readonly Added[]> {
    const outcomes = receipts.map(
      (receipt) =>
        new Promise<Added>((resolve, reject) => this.waiting.push({ receipt, deadline, resolve, reject })),
    );
    this.running ??= this.run();
    return Promise.all(outcomes);
  }

  /** Resolves when nothing is being written. */
  async drain(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    // Whatever is handed in within this turn of the event loop goes along.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const batch = this.take();
      try {
        await this.write(batch);
      } catch (error) {
        for (const one of batch) fail(one, error as Error);
      }
    }
    // In the same turn as the last look at what waits, so that nobody is left waiting.
    this.running = undefined;
  }

  /** Those that share an id with one before them wait for the next batch, in which the index decides about all of them. */
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
      documents.slice(0, count).forEach(({ retailer, seq }, i) => {
        this.last.set(retailer, seq);
        left[i]?.resolve({ seq });
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

  /** Others have written, for one retailer at least; where one number is old, most are. */
  private async loseRace(left: readonly Waiting[], losses: number): Promise<void> {
    for (const { receipt } of left) this.last.delete(receipt.retailer);
    if (losses > patientLossesMax) await pause(Math.random() * Math.min(2 ** losses, jitterMaxMs));
  }

  /** Settles what is decided by a fault and gives the rest, which is to be sent again. */
  private async afterFault(fault: InsertFault, left: readonly Waiting[]): Promise<readonly Waiting[]> {
    if (fault.kind === 'refused') {
      fail(left[0] as Waiting, fault.error);
      return left.slice(1);
    }
    if (fault.kind === 'failed') {
      // It may be the fault of one of them.
      if (left.length === 1) fail(left[0] as Waiting, fault.error);
      else for (const one of left) await this.write([one]);
      return [];
    }
    // What has an unknown outcome may come later, and then meets the numbers and ids of what was sent again.
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
      this.last.set(retailer, await this.receipts.lastNumber(retailer, timeLimit));
    await Promise.all(unknown.map(learn));
  }

  private numbered(left: readonly Waiting[]): ReceiptDocument[] {
    const next = new Map<string, number>();
    return left.map(({ receipt }) => {
      const { retailer } = receipt;
      const seq = (next.get(retailer) ?? this.last.get(retailer) ?? 0) + 1;
      next.set(retailer, seq);
      return { ...receipt, seq };
    });
  }
}

/** Everything of a receipt that is taken once only. */
function namesOf({ _id, retailer, transaction_id, external_id, idem }: NewReceipt): string[] {
  const names = [`${retailer}|i|${_id}`, `${retailer}|t|${transaction_id}`];
  if (idem !== undefined) names.push(`${retailer}|k|${idem.key}`);
  if (external_id !== undefined) names.push(`${retailer}|e|${external_id}`);
  return names;
}

function fail({ resolve, reject }: Waiting, error: Error): void {
  if (error instanceof ServiceError) resolve(error);
  else reject(error);
}

/** Those whose callers still wait; the others are settled. */
function inTime(waiting: readonly Waiting[]): readonly Waiting[] {
  const now = Date.now();
  return waiting.filter(({ deadline, resolve }) => {
    const isWaiting = deadline > now;
    if (!isWaiting) {
      resolve(new ServiceError(unavailable, { internal: 'too late', headers: { 'retry-after': '1' } }));
    }
    return isWaiting;
  });
}
