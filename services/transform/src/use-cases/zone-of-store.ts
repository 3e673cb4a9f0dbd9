import { adminContracts, type PacketMetadata } from '@receipts/contracts';
import { causedCall, type Call } from '@receipts/kernel';
import type { MappingRules } from '../domain/run-mapping';
import type { Dependencies } from './dependencies';

const adminTimeoutMs = 10_000;

/**
 * The time zone of the packet's store, otherwise of the retailer, for `$local`. Admin is asked for each packet, because
 * few mappings need it; undefined if this mapping does not.
 * @throws ServiceError 503 if admin does not reply
 */
export async function zoneOfStore(
  { broker, now }: Pick<Dependencies, 'broker' | 'now'>,
  { transform }: MappingRules,
  { store_reference: reference }: PacketMetadata,
  caller: Call,
): Promise<string | undefined> {
  if (!transform.expression.includes('$local')) return undefined;
  const call = causedCall('transform', caller, now().getTime(), adminTimeoutMs);
  const { findRetailer, findStore } = adminContracts;
  const [store, retailer] = await Promise.all([
    reference === undefined ? undefined : broker.ask(findStore, { body: { reference } }, call),
    broker.ask(findRetailer, { body: { id: caller.retailer } }, call),
  ]);
  return store?.body.store?.timezone ?? retailer.body.retailer?.settings.timezone;
}
