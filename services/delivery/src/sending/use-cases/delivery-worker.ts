import {
  receiptDeletedError,
  receiptNotFound,
  receiptStoreContracts,
  receiptVoidedError,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { serviceCall, ServiceError, type Call } from '@receipts/kernel';
import { DueWork, databaseTimeout } from '@receipts/storage';
import type { ModuleDependencies } from '../../module-dependencies';
import { ChannelFault, type ReceiptChannels } from '../channels/channel';
import { hasOptOutTag } from '../domain/availability';
import { attemptsMax, claimMs, nextAttemptAt } from '../domain/schedule';
import type { Deliveries } from '../storage/deliveries';
import type { DeliveryDocument } from '../storage/delivery-document';
import type { OptOuts } from '../storage/opt-outs';
import type { Recipients } from '../storage/recipients';
import { rendered } from '../../rendering/in-steps';
import { mailFiles, type MailFileDependencies } from '../../rendering/mail/mail-files';
import { viewInSteps } from '../../rendering/view/view';
import { saveOutcome } from '../../save-outcome';
import { deliveryEvent } from './delivery-events';
import { eraseIfOutdated, type AddressErasure } from './erase-addresses';
import { identifierOf } from './gather-situation';
import {
  currentLinks,
  unsubscribeLink,
  type LinkingDependencies,
} from '../../rendering/use-cases/get-receipt-links';

export interface SenderDependencies extends Pick<
  ModuleDependencies,
  'ask' | 'retailer' | 'counters' | 'log' | 'now'
> {
  readonly deliveries: Deliveries;
  readonly recipients: Recipients;
  readonly optOuts: OptOuts;
  readonly erasure: AddressErasure;
  readonly channels: ReceiptChannels;
  readonly links: LinkingDependencies;
  readonly files: MailFileDependencies;
  /** Whether to resend messages with an unknown outcome, at the risk that they arrive twice. */
  readonly retriesUnconfirmed: boolean;
}

/** When the service stops, attempts that take longer than this are abandoned; their claims expire. */
const stopGraceMs = 4_000;
/** Why a receipt can no longer be sent. */
const goneReasons: ReadonlySet<string> = new Set([
  receiptNotFound.code,
  receiptDeletedError.code,
  receiptVoidedError.code,
]);
/** The reason for a failure after which a retry is pointless. */
const permanentReason = (error: unknown, retriesUnconfirmed: boolean): string | undefined => {
  if (error instanceof ServiceError && goneReasons.has(error.code ?? '')) return error.code;
  if (!(error instanceof ChannelFault)) return undefined;
  return error.isPermanent || (error.reason === unknown && !retriesUnconfirmed) ? error.reason : undefined;
};

/** The status of a delivery after its last event. */
const statusOf = {
  deliverySent: 'sent',
  deliveryFailed: 'failed',
  deliverySuppressed: 'suppressed',
} as const;

/** The outcome is unknown: the list of deliveries shows this, and a person has to decide. */
const unknown = 'outcome_unknown';

/** Makes due attempts: when woken, and when later attempts become due. */
export class DeliveryWorker {
  readonly work: DueWork<DeliveryDocument>;

  constructor(private readonly deps: SenderDependencies) {
    this.work = new DueWork({
      name: 'deliveries',
      claim: (order, signal) => deps.deliveries.claimDue(order, deps.now(), signal),
      attempt: (delivery) => this.attempt(delivery),
      log: deps.log,
      stopGraceMs,
    });
  }

  private async attempt(delivery: DeliveryDocument): Promise<void> {
    const call = this.callOf(delivery);
    if (delivery.handedOverAt !== undefined && !this.deps.retriesUnconfirmed) {
      // The process that sent the message ended before it could save the outcome.
      await this.finish(delivery, call, 'deliveryFailed', unknown);
      return;
    }
    if (delivery.attempts > attemptsMax) {
      // The process of every attempt crashed.
      await this.finish(delivery, call, 'deliveryFailed', 'not_delivered');
      return;
    }
    try {
      if (!(await this.send(delivery, call))) return;
    } catch (error) {
      await this.failed(delivery, call, error);
      return;
    }
    await this.finish(delivery, call, 'deliverySent', null);
  }

  /**
   * False if the claim expired before the message was sent, the consumer was erased, the receipt deleted, or the service
   * is about to end; then another process makes an attempt when the claim has expired.
   */
  private async send(delivery: DeliveryDocument, call: Call): Promise<boolean> {
    const { ask, channels, deliveries, erasure, files, links, now } = this.deps;
    const { retailer, receiptId } = delivery;
    const input = { params: { id: receiptId }, query: {} };
    const receipt: ReturnedReceipt = (await ask(receiptStoreContracts.getReceipt, input, call)).body;
    if (receipt.voided) throw new ServiceError(receiptVoidedError);
    const { settings } = await this.deps.retailer(retailer, call);
    const { webview } = await currentLinks({ retailer, receiptId }, links, databaseTimeout());
    const view = await rendered(viewInSteps(receipt, settings));
    const isMail = delivery.channel === 'email';
    const message = {
      id: delivery._id,
      to: delivery.address,
      settings,
      view,
      ...(isMail && {
        files: await mailFiles(receipt, view, { retailer, settings, page: webview.href }, files),
      }),
      page: webview.href,
      unsubscribe: isMail ? unsubscribeLink(delivery, links) : null,
    };
    if (await this.hasOptedOut(delivery, call)) throw new ChannelFault('opted_out');
    // The process that added the delivery may have ended before it could check.
    if (await eraseIfOutdated(erasure, [delivery], databaseTimeout)) return false;
    if (!this.work.hasTimeToHandOver) return false;
    if (!(await deliveries.handOver(delivery, now(), databaseTimeout()))) return false;
    await channels[delivery.channel].send(message);
    return true;
  }

  /**
   * Whether the consumer or the address that the message is for has opted out meanwhile. An address given in a request
   * is used regardless.
   */
  private async hasOptedOut(delivery: DeliveryDocument, call: Call): Promise<boolean> {
    const { retailer, recipientId, recipient: address, isExplicit } = delivery;
    if (isExplicit) return false;
    const { recipients, optOuts } = this.deps;
    const known = await recipients.find(retailer, recipientId, databaseTimeout());
    const keys = { person: known?.person, addresses: [address] };
    const found = await optOuts.of(retailer, keys, databaseTimeout());
    if (found.person || found.addresses.size > 0) return true;
    return hasOptOutTag(await identifierOf({ identifier: known?.identifier ?? null }, call, this.deps));
  }

  private async failed(delivery: DeliveryDocument, call: Call, error: unknown): Promise<void> {
    const { deliveries, log, now } = this.deps;
    const last = permanentReason(error, this.deps.retriesUnconfirmed);
    const fault = error instanceof ChannelFault ? error : new ChannelFault('not_delivered');
    const reason = last ?? fault.reason;
    log.warn('a delivery failed', {
      delivery: delivery._id,
      attempts: delivery.attempts,
      reason,
      error,
    });
    const retryAt =
      last === undefined ? nextAttemptAt(delivery.attempts, now(), fault.retryAfterMs) : undefined;
    if (retryAt)
      await this.save(() => deliveries.postpone(delivery, reason, retryAt, now(), databaseTimeout()));
    else {
      const isSuppressed = reason === 'opted_out' && delivery.isAutomatic;
      await this.finish(delivery, call, isSuppressed ? 'deliverySuppressed' : 'deliveryFailed', reason);
    }
  }

  private async finish(
    delivery: DeliveryDocument,
    call: Call,
    type: keyof typeof statusOf,
    reason: string | null,
  ): Promise<void> {
    const { deliveries, erasure, counters, now } = this.deps;
    const status = statusOf[type];
    const event = deliveryEvent(type, { ...delivery, reason, version: delivery.version + 1 }, call, now());
    const finish = () => deliveries.finish(delivery, { status, reason }, event, now(), databaseTimeout());
    if (await this.save(finish))
      counters.ended(delivery.channel, status === 'sent' ? 'succeeded' : status, reason);
    // The receipt may have been deleted, or its consumer erased, during the attempt.
    await eraseIfOutdated(erasure, [delivery], databaseTimeout);
  }

  private save<T>(write: () => Promise<T>): Promise<T> {
    return saveOutcome(write, () => (this.work.isStopping ? stopGraceMs : claimMs));
  }

  private callOf(delivery: DeliveryDocument): Call {
    const { retailer, requestId, traceparent } = delivery;
    return {
      ...serviceCall('delivery', this.deps.now().getTime(), retailer),
      requestId,
      ...(traceparent !== undefined && { traceparent }),
    };
  }
}
