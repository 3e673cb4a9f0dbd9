import { accountChannel, type ProviderAccounts } from './accounts';
import type { ReceiptChannels } from './channel';
import { emailChannel, type Mailer } from './email';

/** Every channel that there is. A channel of the contracts without a line here does not compile. */
export function receiptChannels(
  mailer: Pick<Mailer, 'send'> | undefined,
  mailFrom: string,
  accounts: ProviderAccounts,
): ReceiptChannels {
  return {
    email: emailChannel(mailer, mailFrom),
    sms: accountChannel('sms', accounts),
    whatsapp: accountChannel('whatsapp', accounts),
  };
}
