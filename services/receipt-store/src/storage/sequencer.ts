import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import { deadlineSignal, guarded, isDuplicateKey, type Log } from '@receipts/storage';
import { sequenceUpdate, type OpenBlock, type SequenceDocument } from './sequence';

interface Want {
  readonly token: string;
  readonly count: number;
  readonly deadline: number;
  resolve(block: OpenBlock): void;
  reject(error: unknown): void;
}

/** A block that cannot be closed by its writer is fenced by whoever meets it later. */
const closeAttemptsMax = 3;
const closeBudgetMs = 2_000;
const upsertAttemptsMax = 3;

/** The writer's side of one retailer's order: one update at a time, which serves all who wait for it. */
class RetailerSequencer {
  private wants: Want[] = [];
  private closes: string[] = [];
  private failedCloses = 0;
  private running: Promise<void> | undefined;

  constructor(
    private readonly collection: Collection<SequenceDocument>,
    private readonly retailer: string,
    private readonly observe: (sequence: SequenceDocument) => void,
    private readonly log: Log,
  ) {}

  get idle(): Promise<void> {
    return this.running ?? Promise.resolve();
  }

  get isIdle(): boolean {
    return this.running === undefined;
  }

  allot(count: number, deadline: number): Promise<OpenBlock> {
    return new Promise((resolve, reject) => {
      this.wants.push({ token: randomUUID(), count, deadline, resolve, reject });
      this.start();
    });
  }

  close(token: string): void {
    this.closes.push(token);
    this.start();
  }

  private start(): void {
    this.running ??= this.run().finally(() => (this.running = undefined));
  }

  private async run(): Promise<void> {
    // Whatever is asked for in this turn of the event loop goes along.
    await Promise.resolve();
    while (this.wants.length > 0 || this.closes.length > 0) {
      const wants = this.wants.splice(0);
      const closes = this.closes.splice(0);
      try {
        const sequence = await this.update(wants, closes);
        this.failedCloses = 0;
        this.settle(wants, sequence);
      } catch (error) {
        for (const want of wants) want.reject(error);
        this.keepCloses(closes, error);
      }
    }
  }

  private settle(wants: readonly Want[], sequence: SequenceDocument): void {
    const blocks = new Map(sequence.open.map((block) => [block.token, block]));
    for (const want of wants) {
      const block = blocks.get(want.token);
      if (block) want.resolve(block);
      else want.reject(new Error('the update did not open the block'));
    }
    this.observe(sequence);
  }

  private keepCloses(closes: readonly string[], error: unknown): void {
    if (closes.length === 0) return;
    if (++this.failedCloses < closeAttemptsMax) this.closes.push(...closes);
    else {
      const { name } = error as Error;
      this.log.warn('could not close blocks of the order of arrival', { count: closes.length, error: name });
    }
  }

  private async update(wants: readonly Want[], closes: readonly string[]): Promise<SequenceDocument> {
    const calls = wants.length > 0 ? wants : [{ deadline: Date.now() + closeBudgetMs }];
    for (let attempt = 1; ; attempt++) {
      try {
        const sequence = await guarded(() =>
          this.collection.findOneAndUpdate({ _id: this.retailer }, sequenceUpdate(wants, closes), {
            upsert: true,
            returnDocument: 'after',
            signal: deadlineSignal(calls),
          }),
        );
        if (!sequence) throw new Error('an upsert gave no document');
        return sequence;
      } catch (error) {
        // Two writers made the retailer's first document at the same time.
        if (!isDuplicateKey(error) || attempt >= upsertAttemptsMax) throw error;
      }
    }
  }
}

/** The writer's side of the order of arrival; see `SequenceDocument`. */
export class Sequencer {
  private readonly byRetailer = new Map<string, RetailerSequencer>();

  /** @param observe hears of every sequence that comes by, so that abandoned blocks are found */
  constructor(
    private readonly collection: Collection<SequenceDocument>,
    private readonly observe: (sequence: SequenceDocument) => void,
    private readonly log: Log,
  ) {}

  /**
   * Takes `count` numbers in a row.
   * @throws ServiceError 503; a block may then have been opened all the same, and is fenced later
   */
  allot(retailer: string, count: number, deadline: number): Promise<OpenBlock> {
    return this.of(retailer).allot(count, deadline);
  }

  /** Every receipt of the block is written, or never will be. Does not wait: readers do. */
  close(retailer: string, token: string): void {
    this.of(retailer).close(token);
  }

  /** Resolves when all blocks that were given back are closed. */
  async drain(): Promise<void> {
    await Promise.all([...this.byRetailer.values()].map((sequencer) => sequencer.idle));
  }

  private of(retailer: string): RetailerSequencer {
    const known = this.byRetailer.get(retailer);
    if (known) return known;
    const made = new RetailerSequencer(this.collection, retailer, this.observe, this.log);
    this.byRetailer.set(retailer, made);
    return made;
  }
}
