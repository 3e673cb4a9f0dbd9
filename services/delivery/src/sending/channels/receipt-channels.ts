import { accountChannel, type ProviderAccounts } from './accounts';
import type { ReceiptChannels } from './channel';
import { emailChannel, type Mailer } from './email';

/** All channels. A missing channel is a compile error. */
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
