import { adminContracts } from '@receipts/contracts';
import { instanceReported } from '@receipts/host';
import { on, type Broker } from '@receipts/messaging';
import { openService, type Service } from '@receipts/service';
import { replayHandlers } from '@receipts/storage';
import { operationsHandlers } from './operations/pages/handlers';
import { openOperations, type OperationsDependencies } from './operations/open-operations';
import { limitQueues } from './operations/use-cases/limit-queues';
import { onInstanceReported } from './operations/use-cases/on-instance-reported';
import { watchMembers } from './operations/use-cases/watch-members';
import { watchQueues } from './operations/use-cases/watch-queues';
import { openPortal } from './portal/open-portal';
import { portalHandlers } from './portal-handlers';
import { registryHandlers } from './registry/use-cases/handlers';
import { openRegistry, type RegistryDependencies } from './registry/open-registry';
import { restoreSubscriptions } from './registry/use-cases/restore-subscriptions';

export interface ServiceDependencies
  extends
    Omit<RegistryDependencies, 'broker' | 'ask' | 'now'>,
    Omit<OperationsDependencies, 'broker' | 'ask' | 'now'> {
  readonly broker: Pick<
    Broker,
    'serve' | 'subscribe' | 'publish' | 'deadLetters' | 'depth' | 'ask' | 'onConnected'
  >;
  readonly now?: () => Date;
}

/** Everything that this service does. */
export async function startService(deps: ServiceDependencies): Promise<Service> {
  const { broker, now = () => new Date() } = deps;
  const service = await openService({ name: 'admin', ...deps });
  const ask: Broker['ask'] = (contract, input, call) => broker.ask(contract, input, call);
  const registry = await openRegistry(service, { ...deps, ask, now });
  const portal = await openPortal({ database: deps.database, registry, ask });
  const operations = await openOperations({ ...deps, ask, now });
  const instances = on([instanceReported], onInstanceReported(operations));
  return service.start({
    contracts: adminContracts,
    handlers: {
      ...registryHandlers(registry),
      ...portalHandlers(portal),
      ...operationsHandlers(operations),
      ...replayHandlers([service.publishedEvents]),
    },
    subscriptions: [{ queue: 'admin.on-instances', subscriptions: [instances], exclusive: true }],
    background: [
      restoreSubscriptions(registry),
      limitQueues(operations),
      watchQueues(operations),
      watchMembers(operations),
    ],
  });
}
