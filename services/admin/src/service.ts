import { adminContracts, adminPages } from '@receipts/contracts';
import type { Broker } from '@receipts/messaging';
import { openService, type Service } from '@receipts/host/open-service';
import { publishedEventHandlers } from '@receipts/storage';
import {
  openOperations,
  operationsHandlers,
  operationsSubscriptions,
  operationsTasks,
  type OperationsDependencies,
} from './operations';
import type { IdentityProviderSettings } from './pages/oidc/identity-providers';
import { openPortal, portalHandlers } from './portal';
import { RegistryRecords } from './registry-records';
import { openRegistry, registryHandlers, registryTasks, type RegistryDependencies } from './registry';

export interface ServiceDependencies
  extends Omit<RegistryDependencies, 'ask' | 'now'>, Omit<OperationsDependencies, 'broker' | 'ask' | 'now'> {
  readonly broker: Pick<
    Broker,
    'serve' | 'subscribe' | 'publish' | 'deadLetters' | 'depth' | 'ask' | 'onConnected'
  >;
  /** The OpenID Connect providers of the installation. */
  readonly identityProviders?: IdentityProviderSettings | undefined;
  readonly now?: () => Date;
}

/** Everything that this service does. */
export async function startService(deps: ServiceDependencies): Promise<Service> {
  const { broker, now = () => new Date() } = deps;
  const service = await openService({ name: 'admin', ...deps });
  const ask: Broker['ask'] = (contract, input, call) => broker.ask(contract, input, call);
  const registry = await openRegistry(service, { ...deps, ask, now });
  const portal = await openPortal({ ...deps, records: new RegistryRecords(registry), ask, now });
  const operations = await openOperations({ ...deps, ask, now });
  return service.start({
    contracts: { ...adminContracts, ...adminPages },
    handlers: {
      ...registryHandlers(registry),
      ...portalHandlers(portal),
      ...operationsHandlers(operations),
      ...publishedEventHandlers([service.keptEvents]),
    },
    subscriptions: [
      {
        queue: 'admin.on-instances',
        subscriptions: operationsSubscriptions(operations),
        exclusive: true,
      },
    ],
    background: [...registryTasks(registry), ...operationsTasks(operations)],
  });
}
