import { transformContracts } from '@receipts/contracts';
import type { Contract, Handler, Handlers } from '@receipts/kernel';
import type { Broker, Consumer } from '@receipts/messaging';
import {
  guardHandlers,
  idempotencyCollection,
  idempotent,
  type IdempotencyRecord,
  type Log,
  type Store,
} from '@receipts/storage';
import { forTheRetailer } from './domain/for-the-retailer';
import type { Sandbox } from './sandbox/sandbox';
import { ActiveMappings } from './storage/active-mappings';
import {
  headsDeclaration,
  Mappings,
  versionsDeclaration,
  type HeadDocument,
  type VersionDocument,
} from './storage/mappings';
import { activateMapping } from './use-cases/activate-mapping';
import { convertArrival } from './use-cases/convert-arrival';
import { convertPacket } from './use-cases/convert-packet';
import { createMapping } from './use-cases/create-mapping';
import { deactivateMapping } from './use-cases/deactivate-mapping';
import { dryRunMapping } from './use-cases/dry-run-mapping';
import { getMapping } from './use-cases/get-mapping';
import { listMappings } from './use-cases/list-mappings';
import type { Parts } from './use-cases/parts';
import { patchMapping } from './use-cases/patch-mapping';

export interface ServiceDependencies {
  readonly broker: Broker;
  readonly store: Store;
  readonly sandbox: Sandbox;
  readonly log: Log;
  readonly now?: () => Date;
  readonly countOutcome?: (outcome: string) => void;
}

/**
 * Packets in hand at the same time. Many more than there are processes, so that the packets of a slow retailer do not keep
 * those of others out; what gives way is answered at once.
 */
const packetsInHandMax = 512;

/** Everything that this service does. */
export async function startTransformService(deps: ServiceDependencies): Promise<Consumer> {
  const { broker, store, sandbox, log, now = () => new Date(), countOutcome = () => undefined } = deps;
  const mappings = new Mappings(
    await store.collection<HeadDocument>(headsDeclaration),
    await store.collection<VersionDocument>(versionsDeclaration),
  );
  const keys = await store.collection<IdempotencyRecord>(idempotencyCollection);
  const activeMappings = new ActiveMappings(mappings, () => now().getTime());
  const parts: Parts = { mappings, activeMappings, sandbox, broker, log, now, countOutcome };

  const once = <C extends Contract>(contract: C, handler: Handler<C>): Handler<C> =>
    idempotent(keys, contract, forTheRetailer(handler), { log });
  const handlers: Handlers<typeof transformContracts> = {
    convertArrival: convertArrival(parts),
    convertPacket: convertPacket(parts),
    createMapping: once(transformContracts.createMapping, createMapping(parts)),
    listMappings: forTheRetailer(listMappings(parts)),
    getMapping: forTheRetailer(getMapping(parts)),
    patchMapping: forTheRetailer(patchMapping(parts)),
    activateMapping: once(transformContracts.activateMapping, activateMapping(parts)),
    deactivateMapping: once(transformContracts.deactivateMapping, deactivateMapping(parts)),
    dryRunMapping: once(transformContracts.dryRunMapping, dryRunMapping(parts)),
  };
  return broker.serve({
    owner: 'transform',
    contracts: transformContracts,
    handlers: guardHandlers(handlers),
    concurrency: packetsInHandMax,
  });
}
