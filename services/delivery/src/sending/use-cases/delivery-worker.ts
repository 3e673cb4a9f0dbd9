import {
  receiptDeletedError,
  receiptNotFound,
  receiptStoreContracts,
  receiptVoidedError,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { serviceCall, ServiceError, type Call } from '@receipts/kernel';
import { databaseTimeout, type DueWork } from '@receipts/storage';
import type { ModuleDependencies } from '../../module-dependencies';
import { ChannelFault, type ReceiptChannels } from '../channels/channel';
import { hasOptOutTag } from '../domain/availability';
import type { Deliveries } from '../storage/deliveries';
import type { DeliveryDocument } from '../storage/delivery-document';
import type { OptOuts } from '../storage/opt-outs';
import type { Recipients } from '../storage/recipients';
import { rendered } from '../../rendering/in-steps';
import { mailFiles, type MailFileDependencies } from '../../rendering/mail/mail-files';
import { viewInSteps } from '../../rendering/view/view';
import { messageWork, notDelivered, type MessageOutcome, type SendingFault } from '../../message-work';
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

/** Why a receipt can no longer be sent. */
const goneReasons: ReadonlySet<string> = new Set([
  receiptNotFound.code,
  receiptDeletedError.code,
  receiptVoidedError.code,
]);
/** The event of each end of a delivery. */
const endings = {
  sent: 'deliverySent',
  failed: 'deliveryFailed',
  suppressed: 'deliverySuppressed',
} as const;

function faultOf(error: unknown): SendingFault {
  if (error instanceof ServiceError && goneReasons.has(error.code ?? ''))
    return { reason: error.code as string, isPermanent: true };
  return error instanceof ChannelFault ? error : { reason: notDelivered, isPermanent: false };
}

/** Makes due attempts: when woken, and when later attempts become due. */
export class DeliveryWorker {
  readonly work: DueWork<DeliveryDocument>;

  constructor(private readonly deps: SenderDependencies) {
    this.work = messageWork<DeliveryDocument, 'sent'>({
      name: 'deliveries',
      claim: (order, signal) => deps.deliveries.claimDue(order, deps.now(), signal),
      send: async (delivery, hasTime) => {
        const isSent = await this.send(delivery, this.callOf(delivery), hasTime);
        return isSent ? { status: 'sent', reason: null } : undefined;
      },
      faultOf,
      postpone: (delivery, reason, until) =>
        deps.deliveries.postpone(delivery, reason, until, deps.now(), databaseTimeout()),
      finish: (delivery, outcome) => this.finish(delivery, outcome),
      retriesUnconfirmed: deps.retriesUnconfirmed,
      log: deps.log,
      now: deps.now,
    });
  }

  /**
   * False if the claim expired before the message was sent, the consumer was erased, the receipt deleted, or the service
   * is about to end; then another process makes an attempt when the claim has expired.
   */
  private async send(delivery: DeliveryDocument, call: Call, hasTime: () => boolean): Promise<boolean> {
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
    if (!hasTime()) return false;
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

  private async finish(
    delivery: DeliveryDocument,
    { status: ended, reason }: MessageOutcome<'sent'>,
  ): Promise<void> {
    const { deliveries, erasure, counters, now } = this.deps;
    const isSuppressed = ended === 'failed' && reason === 'opted_out' && delivery.isAutomatic;
    const status = isSuppressed ? 'suppressed' : ended;
    const told = { ...delivery, reason, version: delivery.version + 1 };
    const event = deliveryEvent(endings[status], told, this.callOf(delivery), now());
    if (await deliveries.finish(delivery, { status, reason }, event, now(), databaseTimeout()))
      counters.ended(delivery.channel, status === 'sent' ? 'succeeded' : status, reason);
    // The receipt may have been deleted, or its consumer erased, during the attempt.
    await eraseIfOutdated(erasure, [delivery], databaseTimeout);
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
