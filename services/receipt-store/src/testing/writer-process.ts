import { connectDatabase } from '@receipts/storage';
import { silentLog } from '@receipts/testing';
import { receiptCollection, type StoredReceipt } from '../storage/receipt-document';
import { ReceiptWriter, type WriteOutcome, type NewReceipt } from '../storage/receipt-writer';
import { Receipts } from '../storage/receipts';

/**
 * A writer as a separate process, for tests that pause and kill it: writes receipts of one retailer in batches and
 * reports the result of each. Every third receipt has a transaction id that all writers use.
 */
export interface WriterTask {
  readonly uri: string;
  readonly database: string;
  readonly retailer: string;
  /** The prefix of receipt ids. */
  readonly name: string;
  readonly batches: number;
}

/** The ids of acknowledged receipts. */
export interface WriterReport {
  readonly added: readonly string[];
  readonly taken: number;
  readonly unavailable: number;
}

const batchMax = 12;
const timeoutMs = 20_000;

function receiptOf(retailer: string, _id: string, transaction_id: string): NewReceipt {
  const search = { terms: [], numbers: {}, texts: [] };
  const text = JSON.stringify({ id: _id, filling: 'x'.repeat(500) });
  const origin = `call:${_id}`;
  return {
    _id,
    retailer,
    version: 1,
    transaction_id,
    store_key: 'id:1',
    origin,
    text,
    search,
  };
}

async function run({ uri, database: databaseName, retailer, name, batches }: WriterTask): Promise<void> {
  const database = await connectDatabase({ uri, database: databaseName, service: name, log: silentLog });
  const collection = await database.collection<StoredReceipt>(receiptCollection);
  const writer = new ReceiptWriter(collection, new Receipts(collection));
  for (let batch = 0; batch < batches; batch++) {
    const count = 1 + ((batch * 7) % batchMax);
    const receipts = Array.from({ length: count }, (_, i) => {
      const id = `${name}-${batch}-${i}`;
      return receiptOf(retailer, id, i % 3 === 2 ? `shared-${batch}-${i}` : id);
    });
    const outcomes = await writer.add(receipts, { deadline: Date.now() + timeoutMs });
    const added = receipts
      .filter((_receipt, i) => 'arrival' in (outcomes[i] as WriteOutcome))
      .map(({ _id }) => _id);
    const unavailable = outcomes.filter((outcome) => outcome instanceof Error).length;
    const report: WriterReport = { added, unavailable, taken: count - added.length - unavailable };
    await new Promise((sent) => process.send?.(report, sent));
  }
  await database.close();
  process.disconnect();
}

process.once('message', (task: WriterTask) => {
  void run(task).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  });
});
