import {
  adminContracts,
  deliveryContracts,
  identifierEvents,
  personHash,
  receiptStoreContracts,
  type ConsumerReceiptsRequest,
} from '@receipts/contracts';
import { pause } from '@receipts/concurrency';
import { eventOf, serviceCall, timestampOf, type Call, type Log } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import type { OpenService } from '@receipts/host/open-service';
import { DueWork, databaseTimeout, type OutboxRelay, type KeptEvents } from '@receipts/storage';
import { retryPauseMs } from '../domain/erasure';
import type { ErasureDocument, Erasures, PendingErasure } from '../storage/erasures';
import type { Identifiers } from '../storage/identifiers';
import type { Rewards } from '../storage/rewards';
import type { ReceiptContributions } from '../storage/receipt-contributions';

export interface ErasureWorkerDependencies {
  readonly erasures: Erasures;
  readonly identifiers: Identifiers;
  readonly contributions: ReceiptContributions;
  readonly rewards: Rewards;
  /** Published events of identifiers and rewards contain the identifier. */
  readonly keptEvents: Pick<KeptEvents, 'forget'>;
  /** Replies to retried requests contain the identifier. */
  readonly forgetReplies: OpenService['forgetReplies'];
  readonly erasureRelay: Pick<OutboxRelay<ErasureDocument>, 'enqueue'>;
  readonly ask: Broker['ask'];
  readonly log: Log;
  readonly now: () => Date;
}

/** Events are usually published, and removed from their documents, within a few hundredths of a second. */
const pollMs = 20;
const pollsMax = 50;
/** Small, because the reply contains whole receipts. */
const receiptsAtOnce = 50;

type AddressErasure = { readonly receipts: string[]; readonly person?: string };

/** Another process has taken over. */
class ClaimLost extends Error {}

/**
 * Erases the consumers that are due. Each step can be repeated, and the erasure stays pending until the last step is
 * done: if a process crashes, another process starts over.
 */
export class ErasureWorker {
  /** When it is stopped, it ends after the current steps; the rest is done after the next start. */
  readonly work: DueWork<PendingErasure>;

  constructor(private readonly deps: ErasureWorkerDependencies) {
    this.work = new DueWork({
      name: 'erasures',
      claim: (order, signal) => deps.erasures.claimDue(order, deps.now(), signal),
      attempt: (erasure) => this.attempt(erasure),
      log: deps.log,
    });
  }

  private async attempt(erasure: PendingErasure): Promise<void> {
    const { erasures, log, now } = this.deps;
    try {
      await this.erase(erasure);
    } catch (error) {
      if (error instanceof ClaimLost) return;
      const { attempts } = erasure;
      log.warn('an erasure failed', { attempts, error });
      await erasures.postpone(erasure, new Date(now().getTime() + retryPauseMs(attempts)), databaseTimeout());
    }
  }

  private async erase(erasure: PendingErasure): Promise<void> {
    const { retailer, identifier } = erasure;
    const { identifiers, contributions, rewards, keptEvents, forgetReplies } = this.deps;
    const { erasures, erasureRelay, now } = this.deps;
    await this.eraseReceipts(erasure);
    await this.eraseRawData(erasure);
    await this.eraseSearches(erasure);
    await this.extend(erasure);
    await contributions.forget(retailer, identifier, databaseTimeout());
    await this.waitUntilPublished(erasure);
    await keptEvents.forget(retailer, [identifier], databaseTimeout());
    await forgetReplies(retailer, [identifier]);
    while (await rewards.eraseSome(retailer, identifier, databaseTimeout())) await this.extend(erasure);
    await identifiers.remove(retailer, identifier, databaseTimeout());
    const hash = personHash(identifier);
    const at = now();
    const data = { identifier_sha256: hash, erased_timestamp: timestampOf(at) };
    const facts = { subject: hash, sequence: erasure.version + 1, data };
    const event = eventOf(identifierEvents.identifierErased, facts, this.callOf(erasure), at);
    const item = await erasures.finish(erasure, event, databaseTimeout());
    if (item) erasureRelay.enqueue([{ _id: erasure._id, items: [...(erasure.outbox ?? []), item] }]);
  }

  /**
   * Waits, because events published later would be recorded after their removal.
   * @throws Error if they cannot be published
   */
  private async waitUntilPublished({ retailer, identifier }: PendingErasure): Promise<void> {
    const { identifiers, rewards } = this.deps;
    for (let checks = 0; checks < pollsMax; checks++) {
      const hasUnpublishedEvents =
        (await identifiers.hasUnpublishedEvents(retailer, identifier, databaseTimeout())) ||
        (await rewards.hasUnpublishedEvents(retailer, identifier, databaseTimeout()));
      if (!hasUnpublishedEvents) return;
      await pause(pollMs);
    }
    throw new Error('events of the consumer are not published yet');
  }

  /**
   * Erases receipts first, then the deliveries of each. The reverse order could miss a delivery that starts between
   * the two steps.
   */
  private async eraseReceipts(erasure: PendingErasure): Promise<void> {
    const { ask } = this.deps;
    const { identifier } = erasure;
    for (let { receipts = [] } = erasure; ;) {
      if (receipts.length > 0) {
        await this.eraseFromReceipts(erasure, receipts);
        await this.eraseAddresses(erasure, { receipts: [...receipts] });
      }
      const body: ConsumerReceiptsRequest = { identifier, after: 0, count: receiptsAtOnce };
      const listed = await ask(receiptStoreContracts.listConsumerReceipts, { body }, this.callOf(erasure));
      receipts = listed.body.receipts.map(({ id }) => id);
      if (receipts.length === 0) {
        await this.eraseAddresses(erasure, { receipts: [], person: personHash(identifier) });
        return;
      }
      // Stored before they are erased, because they could not be found afterwards.
      await this.extend(erasure, { receipts });
    }
  }

  /** @throws Error while a packet of the consumer is being converted: its receipts are not known yet */
  private async eraseRawData(erasure: PendingErasure): Promise<void> {
    const body = { identifier: erasure.identifier };
    const { is_complete: isComplete } = (
      await this.deps.ask(receiptStoreContracts.eraseRawData, { body }, this.callOf(erasure))
    ).body;
    if (!isComplete) throw new Error('packets of the consumer are still being converted');
  }

  /** The portal's users search by identifier or address. */
  private async eraseSearches(erasure: PendingErasure): Promise<void> {
    const { retailer, identifier } = erasure;
    const known = await this.deps.identifiers.find(retailer, identifier, databaseTimeout());
    const { email, phone } = JSON.parse(known?.properties ?? '{}') as Record<string, unknown>;
    const texts = [identifier, email, phone].filter(
      (text): text is string => typeof text === 'string' && text !== '',
    );
    await this.deps.ask(adminContracts.eraseSearches, { body: { texts } }, this.callOf(erasure));
  }

  private async eraseAddresses(erasure: PendingErasure, body: AddressErasure): Promise<void> {
    await this.deps.ask(deliveryContracts.eraseAddresses, { body }, this.callOf(erasure));
  }

  private async eraseFromReceipts(erasure: PendingErasure, receipts: readonly string[]): Promise<void> {
    const body = { identifier: erasure.identifier, receipts: [...receipts] };
    for (let isDone = false; !isDone;) {
      const call = this.callOf(erasure);
      isDone = (await this.deps.ask(receiptStoreContracts.eraseConsumer, { body }, call)).body.done;
      await this.extend(erasure);
    }
  }

  private async extend(
    erasure: PendingErasure,
    facts: Pick<ErasureDocument, 'receipts'> = {},
  ): Promise<void> {
    const isOurs = await this.deps.erasures.extend(erasure, facts, this.deps.now(), databaseTimeout());
    if (!isOurs) throw new ClaimLost('another process continues');
    if (this.work.isStopping) throw new Error('the service is stopping');
  }

  private callOf({ retailer, requestId, traceparent }: PendingErasure): Call {
    return {
      ...serviceCall('identifier', Date.now(), retailer),
      requestId,
      ...(traceparent !== undefined && { traceparent }),
    };
  }
}
