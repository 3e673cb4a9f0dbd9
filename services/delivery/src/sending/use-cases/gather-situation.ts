import {
  channels,
  identifierContracts,
  personHash,
  type Channel,
  type Identifier,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { delegatedCall, unlessStatus, type Call } from '@receipts/kernel';
import type { ModuleDependencies } from '../../module-dependencies';
import type { ReceiptChannels } from '../channels/channel';
import { deadlineSignal } from '@receipts/storage';
import {
  addressesOf,
  addressFor,
  addressHash,
  hasInvalidAddress,
  type Addresses,
  type Overrides,
} from '../domain/addresses';
import { ownAddressesOf } from '../domain/own-addresses';
import { hasOptOutTag, type Situation } from '../domain/availability';
import type { OptOuts } from '../storage/opt-outs';

export interface SituationDependencies extends Pick<ModuleDependencies, 'ask' | 'retailer' | 'now'> {
  readonly channels: ReceiptChannels;
  readonly optOuts: OptOuts;
}

export async function identifierOf(
  receipt: { readonly identifier: string | null },
  call: Call,
  deps: Pick<SituationDependencies, 'ask' | 'now'>,
): Promise<Identifier | undefined> {
  if (receipt.identifier === null) return undefined;
  const input = { params: { identifier: receipt.identifier } };
  const inner = delegatedCall('delivery', call, deps.now().getTime());
  return (await unlessStatus(deps.ask(identifierContracts.getIdentifier, input, inner), 404))?.body;
}

async function optedOutChannels(
  addresses: Addresses,
  { person, call }: { readonly person: string | null; readonly call: Call },
  identifier: Identifier | undefined,
  { optOuts, now }: SituationDependencies,
): Promise<ReadonlySet<Channel>> {
  const hashOf = (channel: Channel) => {
    const address = addressFor(channel, addresses);
    return address === null ? [] : [addressHash(address)];
  };
  const keys = { person, addresses: channels.flatMap(hashOf) };
  const found = await optOuts.of(call.retailer, keys, deadlineSignal(call, now().getTime()));
  const isOut = hasOptOutTag(identifier) || found.person;
  return new Set(channels.filter((each) => isOut || hashOf(each).some((hash) => found.addresses.has(hash))));
}

/** Collects everything that determines over which channels a receipt can be sent. */
export async function gatherSituation(
  receipt: Pick<ReturnedReceipt, 'identifier' | 'properties'>,
  overrides: Overrides,
  call: Call,
  deps: SituationDependencies,
): Promise<Situation> {
  const [{ settings }, identifier] = await Promise.all([
    deps.retailer(call.retailer, call),
    identifierOf(receipt, call, deps),
  ]);
  const addresses = call.consumers
    ? ownAddressesOf(call.consumers, receipt, identifier, overrides)
    : addressesOf(receipt, identifier, overrides);
  const invalid = new Set(channels.filter((channel) => hasInvalidAddress(channel, receipt, identifier)));
  const connected = new Set(channels.filter((channel) => deps.channels[channel].isConnected(settings)));
  const person = receipt.identifier === null ? null : personHash(receipt.identifier);
  const optedOut = await optedOutChannels(addresses, { person, call }, identifier, deps);
  return { settings, identifier, addresses, invalid, overrides, optedOut, connected };
}
