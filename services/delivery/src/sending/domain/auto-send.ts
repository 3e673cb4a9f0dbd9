import type { Channel, ReturnedReceipt, RetailerSettings } from '@receipts/contracts';

/** Whether a receipt is sent over a channel on arrival. */
export type AutoSend = 'no' | 'send' | 'blocked';

interface Wishes {
  readonly send?: unknown;
  readonly block?: unknown;
}

/**
 * A receipt is sent by e-mail if its own `email_settings.send` is true, or if `auto_send` is on and `send` is not
 * false. It is sent over another channel if its `messaging_settings` request this. `block` always prevents sending.
 */
export function autoSendOf(
  channel: Channel,
  { properties }: Pick<ReturnedReceipt, 'properties'>,
  settings: Pick<RetailerSettings, 'auto_send'>,
): AutoSend {
  const isMail = channel === 'email';
  const messaging = (properties['messaging_settings'] ?? {}) as Readonly<Record<string, unknown>>;
  const wishes: Wishes = (isMail ? properties['email_settings'] : messaging[channel]) ?? {};
  const { send, block } = wishes;
  const wanted = send === true || (isMail && settings.auto_send && send !== false);
  if (!wanted) return 'no';
  return block === true ? 'blocked' : 'send';
}
