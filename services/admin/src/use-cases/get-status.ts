import {
  adminContracts,
  deliveryContracts,
  identifierContracts,
  ingestContracts,
  receiptStoreContracts,
  transformContracts,
} from '@receipts/contracts';
import { ServiceError, unavailable, type Handler } from '@receipts/kernel';
import { parkedQueue, rpcQueue, type Broker } from '@receipts/messaging';
import type { ParkedDeps } from './parked-queues';

const ownerOf = (contracts: Readonly<Record<string, { readonly owner: string }>>): string =>
  Object.values(contracts)[0]?.owner ?? '';

/** Whoever answers requests; what they are, their contracts say. */
const owners = [
  receiptStoreContracts,
  ingestContracts,
  transformContracts,
  deliveryContracts,
  identifierContracts,
  adminContracts,
].map(ownerOf);

export function getStatus(
  deps: ParkedDeps & { depth: Broker['depth'] },
): Handler<(typeof adminContracts)['getStatus']> {
  const depthsOf = async (queues: readonly string[]) => {
    const depths = await deps.depth(queues).catch((cause: unknown) => {
      throw new ServiceError(unavailable, { cause });
    });
    return new Map(depths.map((depth) => [depth.queue, depth]));
  };
  return async () => {
    const safe = await deps.parked.queues();
    const kinds = ['command', 'query'] as const;
    const asked = owners.flatMap((owner) => kinds.map((kind) => rpcQueue(owner, kind)));
    const depths = await depthsOf([...asked, ...safe, ...safe.map(parkedQueue)]);
    const services = owners.map((service) => {
      const [commands, queries] = kinds.map((kind) => depths.get(rpcQueue(service, kind)));
      const instances = Math.min(commands?.consumers ?? 0, queries?.consumers ?? 0);
      const waiting = (commands?.messages ?? 0) + (queries?.messages ?? 0);
      return { service, ready: instances > 0, instances, waiting };
    });
    const queues = safe.map((queue) => ({
      queue,
      messages: depths.get(queue)?.messages ?? 0,
      consumers: depths.get(queue)?.consumers ?? 0,
      parked: depths.get(parkedQueue(queue))?.messages ?? 0,
    }));
    return { body: { services, queues } };
  };
}
