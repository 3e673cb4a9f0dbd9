import { channels, identifierContracts, type Identifier, type ReturnedReceipt } from '@receipts/contracts';
import { delegatedCall, unlessStatus, type Call } from '@receipts/kernel';
import type { ModuleDependencies } from '../../module-dependencies';
import type { ReceiptChannels } from '../channels/channel';
import { addressesOf, hasInvalidAddress, type Overrides } from '../domain/addresses';
import { ownAddressesOf } from '../domain/own-addresses';
import type { Situation } from '../domain/availability';

export interface SituationParts extends Pick<ModuleDependencies, 'ask' | 'retailer' | 'now'> {
  readonly channels: ReceiptChannels;
}

async function identifierOf(
  receipt: Pick<ReturnedReceipt, 'identifier'>,
  call: Call,
  parts: SituationParts,
): Promise<Identifier | undefined> {
  if (receipt.identifier === null) return undefined;
  const input = { params: { identifier: receipt.identifier } };
  const inner = delegatedCall('delivery', call, parts.now().getTime());
  return (await unlessStatus(parts.ask(identifierContracts.getIdentifier, input, inner), 404))?.body;
}

/** Collects everything that determines over which channels a receipt can be sent. */
export async function gatherSituation(
  receipt: Pick<ReturnedReceipt, 'identifier' | 'properties'>,
  overrides: Overrides,
  call: Call,
  parts: SituationParts,
): Promise<Situation> {
  const [{ settings }, identifier] = await Promise.all([
    parts.retailer(call.retailer, call),
    identifierOf(receipt, call, parts),
  ]);
  const addresses = call.consumers
    ? ownAddressesOf(call.consumers, receipt, identifier, overrides)
    : addressesOf(receipt, identifier, overrides);
  const invalid = new Set(channels.filter((channel) => hasInvalidAddress(channel, receipt, identifier)));
  const connected = new Set(channels.filter((channel) => parts.channels[channel].isConnected(settings)));
  return { settings, identifier, addresses, invalid, overrides, connected };
}
