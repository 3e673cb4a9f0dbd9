import { serviceCall, type Log, type TimeLimit } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import type { OpenService } from '@receipts/host/open-service';
import type { Vocabulary } from '@receipts/search';
import { DueWork } from '@receipts/storage';
import type { Discard, DiscardedRawData } from '../storage/discarded-raw-data';
import { discardUnneededRawData } from './discard-unneeded-raw-data';

export interface RawDataDiscardsDependencies {
  readonly discarded: DiscardedRawData;
  readonly vocabulary: Pick<Vocabulary, 'forget'>;
  /** Replies to retried requests can contain the whole receipt. */
  readonly forgetReplies: OpenService['forgetReplies'];
  readonly ask: Broker['ask'];
  readonly log: Log;
  readonly now: () => Date;
}

/** With the growing pauses about a week. Only a restored backup has receipts whose packets never existed. */
const attemptsMax = 180;

/**
 * Deletes what deleted and erased receipts no longer need: words of the vocabulary, and raw data in ingest. The work is stored with the receipt, in the write
 * that deletes or erases it, and repeated until it is done.
 */
export class RawDataDiscards {
  readonly work: DueWork<Discard>;

  constructor(private readonly deps: RawDataDiscardsDependencies) {
    const { discarded, log, now } = deps;
    this.work = new DueWork({
      name: 'raw data of deleted receipts',
      claim: (order, signal) => discarded.claimDue(order, now(), signal),
      attempt: (discard) => this.attempt(discard),
      log,
    });
  }

  /** Works on these receipts now. @returns false if some of their raw data cannot be deleted yet */
  async run(retailer: string, ids: readonly string[], timeLimit: TimeLimit): Promise<boolean> {
    const all = await this.deps.discarded.of(retailer, ids, timeLimit);
    const done = await Promise.all(all.map((discard) => this.isDiscarded(discard)));
    return done.every(Boolean);
  }

  private async attempt(discard: Discard): Promise<void> {
    const { discarded, log, now } = this.deps;
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
    const { discarded, vocabulary, forgetReplies } = this.deps;
    const { retailer } = discard;
    const { packets, attachments, words } = discard.discarded;
    const call = serviceCall('receipt-store', Date.now(), retailer);
    await forgetReplies(retailer, [discard._id]);
    await vocabulary.forget(retailer, words, (word) => discarded.isSearched(retailer, word, call), call);
    if (packets.length + attachments.length === 0) {
      await discarded.finish(discard);
      return true;
    }
    const discarding = { selection: { packets: [...packets] }, attachments };
    const { isComplete } = await discardUnneededRawData(this.deps, discarding, call);
    if (isComplete) await discarded.finish(discard);
    return isComplete;
  }
}
