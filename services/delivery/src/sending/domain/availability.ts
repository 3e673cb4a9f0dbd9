import { channels, type Channel, type Identifier, type RetailerSettings } from '@receipts/contracts';
import { addressFor, type Addresses, type Overrides } from './addresses';

/** A step of the check for availability, as shown by `explain`. */
export interface Step {
  readonly channel: Channel;
  readonly step: 'settings' | 'opt_out' | 'address' | 'channel';
  readonly passed: boolean;
  readonly detail: string;
}

export interface Situation {
  readonly settings: RetailerSettings;
  readonly identifier: Pick<Identifier, 'properties'> | undefined;
  readonly addresses: Addresses;
  /** Channels for which an invalid address is stored. */
  readonly invalid: ReadonlySet<Channel>;
  readonly overrides: Overrides;
  /** Channels over which the consumer, or the address, has opted out. */
  readonly optedOut: ReadonlySet<Channel>;
  /** Channels that are configured in this installation. */
  readonly connected: ReadonlySet<Channel>;
}

/** The opt-outs that apply to receipts. */
const receiptTags: ReadonlySet<string> = new Set(['receipts', 'all']);

/** Whether a consumer has an opt-out tag. Those who unsubscribed are also in `OptOuts`. */
export function hasOptOutTag(identifier: Pick<Identifier, 'properties'> | undefined): boolean {
  const tags = identifier?.properties['opt-out'];
  return Array.isArray(tags) && tags.some((tag) => typeof tag === 'string' && receiptTags.has(tag));
}

export const hasOverride = (channel: Channel, overrides: Overrides): boolean =>
  (channel === 'email' ? overrides.email_address : overrides.phone_number) !== undefined;

/** Checks settings, opt-outs, address and configuration of one channel. */
export function stepsOf(channel: Channel, situation: Situation): Step[] {
  const { settings, addresses, invalid, overrides, connected } = situation;
  const enabled = settings.channels[channel].enabled;
  const optedOut = situation.optedOut.has(channel);
  const explicit = hasOverride(channel, overrides);
  const address = addressFor(channel, addresses) !== null;
  const step = (name: Step['step'], passed: boolean, yes: string, no: string): Step => ({
    channel,
    step: name,
    passed,
    detail: passed ? yes : no,
  });
  return [
    step('settings', enabled, 'enabled by the retailer', 'not enabled by the retailer'),
    step(
      'opt_out',
      !optedOut || explicit,
      optedOut ? 'opted out, but the address was given explicitly' : 'not opted out',
      'the consumer has opted out',
    ),
    step(
      'address',
      address,
      'an address is known',
      invalid.has(channel) ? 'the stored address is not valid' : 'no address is known',
    ),
    step('channel', connected.has(channel), 'connected', 'not connected in this installation'),
  ];
}

export function availableChannels(situation: Situation): Channel[] {
  return channels.filter((channel) => stepsOf(channel, situation).every(({ passed }) => passed));
}
