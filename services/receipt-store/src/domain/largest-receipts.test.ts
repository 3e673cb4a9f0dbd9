import type { PostedReceipt, ReturnedReceipt } from '@receipts/contracts';
import { workGrowth } from '@receipts/testing';
import { largestReceipts } from '../testing/largest-receipts';
import { postedReceipt, retailerOf } from '../testing/samples';
import { buildReceipt } from './build-receipt';
import { failedChecks } from './checks';
import { csvExport } from './export-lines';
import { patchReceipt } from './patch-receipt';
import { searchOf } from './receipt-search';
import { returnableItems } from './returnable';
import { printSale, readSale, saleOf, type Sale } from '../totals/domain/sale';

const retailer = retailerOf('demo');
const context = {
  id: 'a'.repeat(24),
  transactionId: 'T1',
  retailer,
  store: undefined,
  posDataIds: [],
  attachments: {},
};
const built = (change: Partial<PostedReceipt>) => buildReceipt(postedReceipt(change), context);

const works: Readonly<Record<string, (receipt: ReturnedReceipt) => unknown>> = {
  building: (receipt) => buildReceipt(receipt as unknown as PostedReceipt, context),
  checks: failedChecks,
  totals: (receipt) => readSale(printSale(saleOf(receipt, 'store') as Sale)),
  search: (receipt) => searchOf(retailer, receipt, undefined, 0),
  export: (receipt) => csvExport.receipt(Buffer.from(JSON.stringify(receipt))),
  returns: (receipt) =>
    returnableItems(
      receipt,
      receipt.items.map((item) => ({ ...item, quantity: -0.5 })),
    ),
  'a patch': (receipt) => patchReceipt(receipt, [{ op: 'replace', path: '/incomplete', value: true }]),
};

const part = 1 / 8;
/** Work that grows with the square of the size grows by 64. */
const growthMax = 24;

it.each(Object.keys(largestReceipts(part)))('works on %s in proportion to their number', (shape) => {
  const [small, large] = [part, 1].map((size) => built(largestReceipts(size)[shape] ?? {}));
  const tooMuch = Object.entries(works).flatMap(([name, work]) => {
    const growth = workGrowth(small as ReturnedReceipt, large as ReturnedReceipt, work);
    return growth > growthMax ? [`${name}: ${growth}`] : [];
  });
  expect(tooMuch).toEqual([]);
});
