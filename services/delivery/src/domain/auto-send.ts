import type { ReturnedReceipt, RetailerSettings } from '@receipts/contracts';

/** Whether a receipt goes out by e-mail on arrival. */
export type AutoSend = 'no' | 'send' | 'blocked';

interface EmailSettings {
  readonly send?: unknown;
  readonly block?: unknown;
}

/**
 * A receipt is sent when its own `email_settings.send` says so, or always under `auto_send` unless it says otherwise.
 * `block` forbids it in any case.
 */
export function autoSendOf(
  receipt: Pick<ReturnedReceipt, 'properties'>,
  settings: Pick<RetailerSettings, 'auto_send'>,
): AutoSend {
  const properties = receipt.properties;
  const { send, block } = (properties['email_settings'] ?? {}) as EmailSettings;
  const wanted = send === true || (settings.auto_send && send !== false);
  if (!wanted) return 'no';
  return block === true ? 'blocked' : 'send';
}
