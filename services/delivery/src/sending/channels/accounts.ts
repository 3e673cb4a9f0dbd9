import type { Channel, RetailerSettings } from '@receipts/contracts';
import { z } from 'zod';
import { ChannelFault, type ProviderAccount, type ReceiptChannel } from './channel';
import { callbackRefs } from './provider-api';
import { twilio, twilioAccount } from './twilio';
import { whatsappAccount, whatsappCloud } from './whatsapp-cloud';

const name = z.string().regex(/^[a-z0-9-]{1,40}$/);

/** The accounts of an installation with message providers, keyed by the names that retailers' settings refer to. */
export const channelAccounts = z.record(name, z.discriminatedUnion('kind', [twilioAccount, whatsappAccount]));

export type ChannelAccounts = z.output<typeof channelAccounts>;
export type ProviderAccounts = ReadonlyMap<string, ProviderAccount>;

export function providerAccounts(
  accounts: ChannelAccounts,
  { secret, publicUrl, now }: { secret: string; publicUrl: string; now: () => Date },
): ProviderAccounts {
  return new Map(
    Object.entries(accounts).map(([account, settings]) => {
      const refs = callbackRefs(secret, account);
      const options = { refs, callbackUrl: `${publicUrl}/channels/${account}/callbacks`, now };
      return [
        account,
        settings.kind === 'twilio' ? twilio(settings, options) : whatsappCloud(settings, options),
      ];
    }),
  );
}

/** A channel that uses the account named by the retailer, or otherwise the first account. */
export function accountChannel(
  channel: Exclude<Channel, 'email'>,
  accounts: ProviderAccounts,
): ReceiptChannel {
  const accountOf = (settings: RetailerSettings): ProviderAccount | undefined => {
    const { account: named } = settings.channels[channel];
    const found = named === null ? undefined : accounts.get(named);
    if (named !== null) return found?.channel === channel ? found : undefined;
    return [...accounts.values()].find((account) => account.channel === channel);
  };
  return {
    isConnected: (settings) => accountOf(settings)?.hasSender(settings) ?? false,
    async send(message) {
      const account = accountOf(message.settings);
      // The channel was available when the delivery was requested, and may become available again.
      if (!account?.hasSender(message.settings)) throw new ChannelFault('not_delivered');
      if (!/^\+\d{6,15}$/.test(message.to)) throw new ChannelFault('invalid_address');
      await account.send(message);
    },
  };
}
