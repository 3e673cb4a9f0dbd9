import type { Channel, ReturnedReceipt, RetailerSettings } from '@receipts/contracts';

/** Whether a receipt is sent over a channel on arrival. */
export type AutoSend = 'no' | 'send' | 'blocked';

interface Wishes {
  readonly send?: unknown;
  readonly block?: unknown;
}

/**
 * A receipt is sent by e-mail if its own `email_settings.send` is true, or with `auto_send` unless it is false; and
 * over the other channels if its `messaging_settings` request it. `block` always prevents it.
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
