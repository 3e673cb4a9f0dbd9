import type { RetailerSettings } from '@receipts/contracts';
import { createMetrics } from '@receipts/host';
import {
  countedChannels,
  countedPost,
  countersIn,
  noCounters,
  type DeliveryCounters,
} from './delivery-counters';
import { ChannelFault, type OutgoingMessage, type ReceiptChannel } from './sending/channels/channel';
import type { Attempt } from './webhooks/domain/attempt';

const counted: string[] = [];
const counters: DeliveryCounters = {
  ...noCounters,
  attempted: (channel, outcome) => void counted.push(`${channel} ${outcome}`),
};
beforeEach(() => counted.splice(0));

const channel = (send: ReceiptChannel['send']): ReceiptChannel => ({ isConnected: () => true, send });
const failing = (error: Error) => channel(() => Promise.reject(error));
const message = {} as OutgoingMessage;

it('counts each attempt to send a receipt, and passes failures on', async () => {
  const refused = new ChannelFault('refused');
  const channels = countedChannels(
    {
      email: channel(() => Promise.resolve()),
      sms: failing(refused),
      whatsapp: failing(new Error('socket')),
    },
    counters,
  );
  await channels.email.send(message);
  await expect(channels.sms.send(message)).rejects.toBe(refused);
  await expect(channels.whatsapp.send(message)).rejects.toThrow('socket');
  expect(counted).toEqual(['email succeeded', 'sms refused', 'whatsapp not_delivered']);
  expect(channels.email.isConnected({} as RetailerSettings)).toBe(true);
});

it('counts each attempt to post a webhook', async () => {
  const attempt: Attempt = { outcome: 'timeout', error: null, durationMs: 1, response: undefined };
  const post = countedPost(() => Promise.resolve(attempt), counters);
  expect(await post({ url: 'https://example.com', headers: {}, body: '' } as never)).toBe(attempt);
  expect(counted).toEqual(['webhook timeout']);
});

it('shows Prometheus how deliveries have ended', async () => {
  const metrics = createMetrics('delivery');
  const { ended } = countersIn(metrics);
  ended('webhook', 'failed', 'endpoint_disabled', 3);
  ended('email', 'succeeded', null);
  expect(await metrics.text()).toContain(
    [
      'deliveries_ended_total{channel="webhook",status="failed",reason="endpoint_disabled",service="delivery"} 3',
      'deliveries_ended_total{channel="email",status="succeeded",reason="",service="delivery"} 1',
    ].join('\n'),
  );
});
