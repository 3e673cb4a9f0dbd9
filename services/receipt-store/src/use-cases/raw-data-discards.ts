import { ingestContracts } from '@receipts/contracts';
import { serviceCall, type Log, type TimeLimit } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { DueWork } from '@receipts/storage';
import type { Discard, DiscardedData } from '../storage/discarded-raw-data';

export interface RawDataDiscardsParts {
  readonly discarded: DiscardedData;
  readonly ask: Broker['ask'];
  readonly log: Log;
  readonly now: () => Date;
}

/** With the growing pauses about a week. Only a restored backup has receipts whose packets never existed. */
const attemptsMax = 180;

/**
 * Asks ingest to delete the raw data of deleted and erased receipts. The work is stored with the receipt, in the write
 * that deletes or erases it, and repeated until ingest has done it.
 */
export class RawDataDiscards {
  private readonly work: DueWork<Discard>;

  constructor(private readonly parts: RawDataDiscardsParts) {
    const { discarded, log, now } = parts;
    this.work = new DueWork({
      name: 'raw data of deleted receipts',
      claim: (turn, signal) => discarded.claimDue(turn, now(), signal),
      attempt: (discard) => this.attempt(discard),
      log,
    });
  }

  /** Works on these receipts now. @returns false if some of their raw data cannot be deleted yet */
  async run(retailer: string, ids: readonly string[], timeLimit: TimeLimit): Promise<boolean> {
    const all = await this.parts.discarded.of(retailer, ids, timeLimit);
    const done = await Promise.all(all.map((discard) => this.isDiscarded(discard)));
    return done.every(Boolean);
  }

  stop(): Promise<void> {
    return this.work.stop();
  }

  private async attempt(discard: Discard): Promise<void> {
    const { discarded, log, now } = this.parts;
    try {
      if (await this.isDiscarded(discard)) return;
      if (discard.discarded.attempts >= attemptsMax) {
        log.warn('the raw data of a deleted receipt was not found', { receipt: discard._id });
        return await discarded.finish(discard);
      }
    } catch (error) {
      log.warn('the raw data of a deleted receipt could not be deleted', { receipt: discard._id, error });
    }
    await discarded.postpone(discard, now());
  }

  private async isDiscarded(discard: Discard): Promise<boolean> {
    const { discarded, ask } = this.parts;
    const { packets, attachments } = discard.discarded;
    const body = { packets: [...packets], attachments: [...attachments] };
    const call = serviceCall('receipt-store', Date.now(), discard.retailer);
    const answer = await ask(ingestContracts.discardRawData, { body }, call);
    if (answer.body.is_complete) await discarded.finish(discard);
    return answer.body.is_complete;
  }
}
