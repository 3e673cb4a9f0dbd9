import type { RetailerSettings } from '@receipts/contracts';
import { countedChannels, countedPost } from './count-outcomes';
import { ChannelFault, type OutgoingMessage, type ReceiptChannel } from './sending/channels/channel';
import type { Attempt } from './webhooks/domain/attempt';

const counted: string[] = [];
const count = (channel: string, outcome: string) => void counted.push(`${channel} ${outcome}`);
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
    count,
  );
  await channels.email.send(message);
  await expect(channels.sms.send(message)).rejects.toBe(refused);
  await expect(channels.whatsapp.send(message)).rejects.toThrow('socket');
  expect(counted).toEqual(['email succeeded', 'sms refused', 'whatsapp not_delivered']);
  expect(channels.email.isConnected({} as RetailerSettings)).toBe(true);
});

it('counts each attempt to post a webhook', async () => {
  const attempt: Attempt = { outcome: 'timeout', error: null, durationMs: 1, response: undefined };
  const post = countedPost(() => Promise.resolve(attempt), count);
  expect(await post({ url: 'https://example.com', headers: {}, body: '' } as never)).toBe(attempt);
  expect(counted).toEqual(['webhook timeout']);
});
