import type { ReturnedReceipt } from '@receipts/contracts';
import { countTurns } from '@receipts/testing';
import { buildReceipt } from '../domain/build-receipt';
import { searchOf } from '../domain/receipt-search';
import { largestReceipts } from '../testing/largest-receipts';
import { postedReceipt, retailerOf } from '../testing/samples';
import { searchOfChanged } from './search-of-changed';

const retailer = retailerOf('demo');
const stores = { get: () => undefined } as never;

it.each(Object.entries(largestReceipts(1)).filter(([, { items = [] }]) => items.length > 1_000))(
  'yields to others while it computes the search document of %s',
  async (_what, posted) => {
    const receipt: ReturnedReceipt = buildReceipt(postedReceipt(posted), {
      id: 'a'.repeat(24),
      transactionId: 'T1',
      retailer,
      store: undefined,
      posDataIds: [],
      attachments: {},
    });
    const turns = countTurns();
    const search = await searchOfChanged(stores, retailer)(receipt, '', '');
    expect(turns()).toBeGreaterThanOrEqual(2);
    expect(search).toEqual(searchOf(retailer, receipt, undefined, 0));
  },
);
