import { receiptStoreContracts as contracts, tooManySearches } from '@receipts/contracts';
import { SearchLimiter } from '@receipts/search';
import { openService, idempotent } from '@receipts/host/open-service';
import { publishedEventHandlers } from '@receipts/storage';
import {
  createDependencies,
  type ReceiptStore,
  type ServiceDependencies,
} from './use-cases/create-dependencies';
import { addConvertedReceipts } from './use-cases/add-converted-receipts';
import { allotLinks } from './use-cases/allot-links';
import { assignReceipt } from './use-cases/assign-receipt';
import { countReceipts } from './use-cases/count-receipts';
import { createGiftReceipt } from './use-cases/create-gift-receipt';
import { createReceipt } from './use-cases/create-receipt';
import { createReceipts } from './use-cases/create-receipts';
import { deleteReceipt } from './use-cases/delete-receipt';
import { eraseConsumer } from './use-cases/erase-consumer';
import { eraseRawData } from './use-cases/erase-raw-data';
import { exportReceipts } from './use-cases/export-receipts';
import { findGiftReceipt } from './use-cases/find-gift-receipt';
import { findReceiptWithAttachment } from './use-cases/find-receipt-with-attachment';
import { getGiftReturnable } from './use-cases/get-gift-returnable';
import { getReceipt, getReceiptFile } from './use-cases/get-receipt';
import { addReceiptNote, getReceiptHistory } from './use-cases/get-receipt-history';
import { getReturnable } from './use-cases/get-returnable';
import { getGaps } from './totals/use-cases/get-gaps';
import { getTills } from './tills/use-cases/get-tills';
import { exportTotals, getTotals } from './totals/use-cases/get-totals';
import { hasReceipt } from './use-cases/has-receipt';
import { listChanges } from './use-cases/list-changes';
import { listConsumerReceipts } from './use-cases/list-consumer-receipts';
import { listReceipts } from './use-cases/list-receipts';
import { listReceiptRows } from './use-cases/list-receipt-rows';
import { listReceiptsV1 } from './use-cases/list-receipts-v1';
import { patchReceipt } from './use-cases/patch-receipt';
import { previewReceipt } from './use-cases/preview-receipt';
import { publishedReceipts } from './use-cases/published-receipts';
import { rebuildTotals } from './totals/use-cases/rebuild-totals';
import { reindexReceipts } from './use-cases/reindex-receipts';
import { searchReceipts } from './use-cases/search-receipts';
import { voidReceipt } from './use-cases/void-receipt';

/** The maximum number of batches that are handled at once: one is read while others are written. */
const batchesAtOnce = 4;

/** Everything that this service does. */
export async function startService(deps: ServiceDependencies): Promise<ReceiptStore> {
  const service = await openService({ name: 'receipt-store', ...deps });
  const dependencies = await createDependencies(service, deps);
  const { retailers, stores, retention, discards, writer, schedule, rebuild, watchTills } = dependencies;
  const searches = new SearchLimiter(tooManySearches);
  const started = await service.start({
    contracts,
    handlers: {
      createReceipt: createReceipt(dependencies),
      createReceipts: idempotent(createReceipts({ ...dependencies, ...deps })),
      allotLinks: idempotent(allotLinks(dependencies)),
      exportReceipts: exportReceipts(dependencies),
      addConvertedReceipts: addConvertedReceipts(dependencies),
      patchReceipt: patchReceipt(dependencies),
      assignReceipt: idempotent(assignReceipt(dependencies)),
      deleteReceipt: deleteReceipt(dependencies),
      voidReceipt: idempotent(voidReceipt(dependencies)),
      eraseConsumer: eraseConsumer(dependencies),
      eraseRawData: eraseRawData(dependencies),
      getReceipt: getReceipt(dependencies),
      getReceiptFile: getReceiptFile(dependencies),
      getReceiptHistory: getReceiptHistory(dependencies),
      addReceiptNote: addReceiptNote(dependencies),
      previewReceipt: previewReceipt(dependencies),
      getReturnable: getReturnable(dependencies),
      createGiftReceipt: idempotent(createGiftReceipt(dependencies)),
      findGiftReceipt: findGiftReceipt(dependencies),
      getGiftReturnable: getGiftReturnable(dependencies),
      findReceiptWithAttachment: findReceiptWithAttachment(dependencies.receipts),
      hasReceipt: hasReceipt(dependencies.receipts),
      listReceiptsV1: listReceiptsV1(dependencies),
      listReceipts: listReceipts(dependencies),
      searchReceipts: searchReceipts(dependencies, searches),
      countReceipts: countReceipts(dependencies, searches),
      listReceiptRows: listReceiptRows(dependencies, searches),
      listChanges: listChanges(dependencies),
      listConsumerReceipts: listConsumerReceipts(dependencies.changed),
      ...publishedEventHandlers([publishedReceipts(dependencies), dependencies.keptEvents]),
      reindexReceipts: idempotent(reindexReceipts(dependencies)),
      getTotals: getTotals(dependencies),
      getGaps: getGaps(dependencies),
      getTills: getTills(dependencies),
      exportTotals: exportTotals(dependencies),
      rebuildTotals: idempotent(rebuildTotals(rebuild)),
    },
    concurrency: { createReceipts: batchesAtOnce },
    copies: [stores, retailers],
    background: [retention.task, discards.work, watchTills.task, rebuild.task],
    outlivesConsumers: [{ stop: () => writer.drain() }, schedule],
  });
  return { ...started, isReady: dependencies.isReady, flushEvents: () => dependencies.flushEvents() };
}
