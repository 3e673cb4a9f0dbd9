import type { Channel } from '@receipts/contracts';
import type { Metrics } from '@receipts/host';
import { ChannelFault, type ReceiptChannels } from './sending/channels/channel';
import type { PostWebhook } from './webhooks/http/post-webhook';

type DeliveredBy = Channel | 'webhook';

/** Counts what becomes of receipts and webhooks, for the alerts. */
export interface DeliveryCounters {
  /** Counts an attempt. `outcome` is `succeeded`, or the reason for the failure. */
  readonly attempted: (channel: DeliveredBy, outcome: string) => void;
  /**
   * Counts deliveries that have ended: nothing else is tried. One that a provider reports as failed after it was sent
   * is counted under both.
   */
  readonly ended: (
    channel: DeliveredBy,
    status: 'succeeded' | 'failed' | 'suppressed',
    reason: string | null,
    count?: number,
  ) => void;
}

export const noCounters: DeliveryCounters = { attempted: () => {}, ended: () => {} };

export function countersIn(metrics: Pick<Metrics, 'counter'>): DeliveryCounters {
  const attempts = metrics.counter({
    name: 'delivery_attempts_total',
    help: 'Attempts to deliver receipts and webhooks, by outcome.',
    labels: ['channel', 'outcome'],
  });
  const ended = metrics.counter({
    name: 'deliveries_ended_total',
    help: 'Deliveries of receipts and webhooks that have ended, by their last status and its reason.',
    labels: ['channel', 'status', 'reason'],
  });
  return {
    attempted: (channel, outcome) => attempts.inc({ channel, outcome }),
    ended: (channel, status, reason, count = 1) =>
      ended.inc({ channel, status, reason: reason ?? '' }, count),
  };
}

export function countedPost(post: PostWebhook, { attempted }: DeliveryCounters): PostWebhook {
  return async (request) => {
    const attempt = await post(request);
    attempted('webhook', attempt.outcome);
    return attempt;
  };
}

export function countedChannels(channels: ReceiptChannels, { attempted }: DeliveryCounters): ReceiptChannels {
  const counted = (name: Channel): ReceiptChannels[Channel] => ({
    isConnected: (settings) => channels[name].isConnected(settings),
    async send(message) {
      try {
        await channels[name].send(message);
      } catch (error) {
        attempted(name, error instanceof ChannelFault ? error.reason : 'not_delivered');
        throw error;
      }
      attempted(name, 'succeeded');
    },
  });
  return { email: counted('email'), sms: counted('sms'), whatsapp: counted('whatsapp') };
}
