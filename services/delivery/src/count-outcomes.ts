import type { Channel } from '@receipts/contracts';
import { ChannelFault, type ReceiptChannels } from './sending/channels/channel';
import type { PostWebhook } from './webhooks/post-webhook';

/** Counts an attempt to deliver something. `outcome` is `succeeded`, or the reason for the failure. */
export type CountOutcome = (channel: Channel | 'webhook', outcome: string) => void;

export function countedPost(post: PostWebhook, count: CountOutcome): PostWebhook {
  return async (request) => {
    const attempt = await post(request);
    count('webhook', attempt.outcome);
    return attempt;
  };
}

export function countedChannels(channels: ReceiptChannels, count: CountOutcome): ReceiptChannels {
  const counted = (name: Channel): ReceiptChannels[Channel] => ({
    isConnected: (settings) => channels[name].isConnected(settings),
    async send(message) {
      try {
        await channels[name].send(message);
      } catch (error) {
        count(name, error instanceof ChannelFault ? error.reason : 'not_delivered');
        throw error;
      }
      count(name, 'succeeded');
    },
  });
  return { email: counted('email'), sms: counted('sms'), whatsapp: counted('whatsapp') };
}
