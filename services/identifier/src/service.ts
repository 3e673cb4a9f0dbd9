import {
  identifierContracts,
  receiptStoreEvents,
  receiptStoreInternalEvents,
  subscriptionQueues,
} from '@receipts/contracts';
import { on } from '@receipts/messaging';
import { publishedEventHandlers } from '@receipts/storage';
import { type Service, openService, idempotent } from '@receipts/host/open-service';
import { createDependencies, type ServiceDependencies } from './use-cases/create-dependencies';
import { recordingArrivals } from './use-cases/catch-up-receipts';
import { catchUpSummaries } from './use-cases/catch-up-summaries';
import { createIdentifier } from './use-cases/create-identifier';
import { eraseIdentifier } from './use-cases/erase-identifier';
import { exportIdentifier } from './use-cases/export-identifier';
import { getIdentifier } from './use-cases/get-identifier';
import { importCards } from './use-cases/import-cards';
import { listIdentifiers } from './use-cases/list-identifiers';
import { exportRewards, listRewards } from './use-cases/list-rewards';
import { patchIdentifier } from './use-cases/patch-identifier';
import { searchIdentifiers } from './use-cases/search-identifiers';
import { validateIdentifier } from './use-cases/validate-identifier';
import { verifyCard } from './use-cases/verify-card';

/**
 * Summaries and rewards are not urgent. Compared with 50 ms, a receipt takes half of the CPU time in this service, and a
 * quarter if only one connection posts (November 2026).
 */
const batchWindowMs = 250;

/** Everything that this service does. */
export async function startService(deps: ServiceDependencies): Promise<Service> {
  const service = await openService({ name: 'identifier', ...deps });
  const dependencies = await createDependencies(service, deps);
  const { retailers, changed, deleted, catchUp, erasureWorker } = dependencies;
  const { receiptRecorded, receiptRevised } = receiptStoreInternalEvents;
  const receipts = [
    on([receiptRecorded, receiptRevised], recordingArrivals(changed, catchUp)),
    on(receiptStoreEvents.receiptDeleted, deleted),
  ];
  return service.start({
    contracts: identifierContracts,
    handlers: {
      getIdentifier: getIdentifier(dependencies),
      listIdentifiers: listIdentifiers(dependencies),
      createIdentifier: idempotent(createIdentifier(dependencies)),
      patchIdentifier: patchIdentifier(dependencies),
      searchIdentifiers: searchIdentifiers(dependencies),
      validateIdentifier: idempotent(validateIdentifier(dependencies)),
      eraseIdentifier: idempotent(eraseIdentifier(dependencies)),
      exportIdentifier: exportIdentifier(dependencies),
      catchUpSummaries: idempotent(catchUpSummaries(catchUp)),
      verifyCard: idempotent(verifyCard(dependencies)),
      importCards: importCards(dependencies),
      listRewards: listRewards(dependencies),
      exportRewards: exportRewards(dependencies),
      ...publishedEventHandlers([service.keptEvents]),
    },
    subscriptions: [{ queue: subscriptionQueues.receiptsToTotal, subscriptions: receipts, batchWindowMs }],
    copies: [retailers],
    background: [erasureWorker.work],
    outlivesConsumers: [catchUp],
  });
}
