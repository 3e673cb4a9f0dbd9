import { receiptStoreContracts, type Retailer, type ReturnedReceipt } from '@receipts/contracts';
import { ownCall, ServiceError, type Call } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { storeBudgetMs, type Log, type Relay } from '@receipts/storage';
import { ChannelFault, type ReceiptChannels } from '../channels/channel';
import { attemptsMax, nextAttemptAt } from '../domain/schedule';
import type { Deliveries, DeliveryDocument } from '../storage/deliveries';
import { viewOf } from '../rendering/view';
import { deliveryEvent } from './delivery-events';
import { currentLinks, unsubscribeLink, type LinkingParts } from './get-receipt-links';

export interface SenderParts {
  readonly deliveries: Deliveries;
  readonly relay: Pick<Relay<DeliveryDocument, string>, 'nudge'>;
  readonly ask: Broker['ask'];
  readonly retailer: (id: string, call: Call) => Promise<Retailer>;
  readonly channels: ReceiptChannels;
  readonly links: LinkingParts;
  readonly log: Log;
  readonly now: () => Date;
}

const askTimeoutMs = 5_000;
const lookEveryMs = 2_000;
const parallelMax = 4;
/** An attempt that takes longer than this is left behind when the service stops; its claim runs out. */
const stopGraceMs = 4_000;
/** Why a receipt cannot be sent any more, by the status with which receipt-store says so. */
const goneReasons: ReadonlyMap<number, string> = new Map([
  [404, 'receipt_not_found'],
  [410, 'receipt_deleted'],
]);
/** The reason of a failure after which trying again makes no sense. */
const lastReason = (error: unknown): string | undefined => {
  if (error instanceof ServiceError && goneReasons.has(error.status)) return goneReasons.get(error.status);
  return error instanceof ChannelFault && error.isLasting ? error.reason : undefined;
};

const budget = () => AbortSignal.timeout(storeBudgetMs);

/** Makes the attempts that are due: at once when woken, and whenever the time of a later one has come. */
export class DueSender {
  private readonly timer: NodeJS.Timeout;
  private readonly running = new Set<Promise<void>>();
  private stopped = false;

  constructor(private readonly parts: SenderParts) {
    this.timer = setInterval(() => this.wake(), lookEveryMs).unref();
  }

  wake(): void {
    if (this.stopped || this.running.size >= parallelMax) return;
    const run = this.drain().finally(() => this.running.delete(run));
    this.running.add(run);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    let bound: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => (bound = setTimeout(resolve, stopGraceMs)));
    await Promise.race([Promise.all(this.running), patience]);
    clearTimeout(bound);
  }

  private async drain(): Promise<void> {
    try {
      while (!this.stopped) {
        const due = await this.parts.deliveries.claimDue(this.parts.now(), budget());
        if (!due) return;
        await this.attempt(due);
      }
    } catch (error) {
      // The claim runs out by itself, and the next look finds the delivery again.
      this.parts.log.warn('could not work on deliveries', { error: (error as Error).name });
    }
  }

  private async attempt(delivery: DeliveryDocument): Promise<void> {
    const call = this.callOf(delivery);
    if (delivery.attempts > attemptsMax) {
      // Each attempt has ended with its process.
      await this.finish(delivery, call, 'deliveryFailed', 'not_delivered');
      return;
    }
    try {
      await this.send(delivery, call);
    } catch (error) {
      await this.failed(delivery, call, error);
      return;
    }
    await this.finish(delivery, call, 'deliverySent', null);
  }

  private async send(delivery: DeliveryDocument, call: Call): Promise<void> {
    const { ask, channels, links } = this.parts;
    const { retailer, receiptId } = delivery;
    const input = { params: { id: receiptId }, query: {} };
    const receipt: ReturnedReceipt = (await ask(receiptStoreContracts.getReceipt, input, call)).body;
    const { settings } = await this.parts.retailer(retailer, call);
    const { webview } = await currentLinks({ retailer, receiptId }, links, budget());
    await channels[delivery.channel].send({
      ...{ id: delivery._id, to: delivery.address, settings },
      view: viewOf(receipt, settings),
      page: webview.href,
      unsubscribe: receipt.identifier === null ? null : unsubscribeLink({ retailer, receiptId }, links),
    });
  }

  private async failed(delivery: DeliveryDocument, call: Call, error: unknown): Promise<void> {
    const { deliveries, log, now } = this.parts;
    const last = lastReason(error);
    const fault = error instanceof ChannelFault ? error : new ChannelFault('not_delivered');
    const reason = last ?? fault.reason;
    log.warn('a delivery did not succeed', {
      delivery: delivery._id,
      attempts: delivery.attempts,
      reason,
      error: (error as Error).name,
    });
    const again = last === undefined ? nextAttemptAt(delivery.attempts, now(), fault.patienceMs) : undefined;
    if (again) await deliveries.postpone(delivery, reason, again, now(), budget());
    else await this.finish(delivery, call, 'deliveryFailed', reason);
  }

  private async finish(
    delivery: DeliveryDocument,
    call: Call,
    type: 'deliverySent' | 'deliveryFailed',
    reason: string | null,
  ): Promise<void> {
    const { deliveries, relay, now } = this.parts;
    const status = type === 'deliverySent' ? 'sent' : 'failed';
    const event = deliveryEvent(type, { ...delivery, reason, version: delivery.version + 1 }, call, now());
    const item = await deliveries.finish(delivery, { status, reason }, event, now(), budget());
    if (item) relay.nudge([{ _id: delivery._id, items: [item] }]);
  }

  private callOf(delivery: DeliveryDocument): Call {
    const at = this.parts.now().getTime();
    return { ...ownCall('delivery', at, askTimeoutMs, delivery.retailer), requestId: delivery.requestId };
  }
}
