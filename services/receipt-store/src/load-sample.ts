#!/usr/bin/env node
/**
 * Fills a retailer with generated receipts, to measure lists and searches: `node dist/load-sample.js --retailer demo
 * --count 100000 --first 0`. They are stored like posted ones but publish no events, so summaries and loyalty do not
 * change.
 */
import { parseArgs } from 'node:util';
import { databaseOf, createLogger, readSettings, storeSettings } from '@receipts/host';
import { newId, serviceCall, ServiceError, type Call } from '@receipts/kernel';
import { Vocabulary, vocabularyCollection, type VocabularyDocument } from '@receipts/search';
import { connectDatabase } from '@receipts/storage';
import { sampleReceipt } from './domain/sample-receipt';
import { openDirectories } from './storage/directories';
import { receiptCollection, type StoredReceipt } from './storage/receipt-document';
import { ReceiptWriter } from './storage/receipt-writer';
import { Receipts } from './storage/receipts';
import { findRetailer } from './use-cases/find-retailer';
import { StoreReceipts } from './use-cases/store-receipts';

const name = 'load-sample';
/**
 * Larger batches put more keys on each page of the index. A batch must finish within the database timeout of two seconds.
 */
const batchCount = 400;
/** Batches in progress: one is generated while the database writes the other. */
const batchesAtATime = 2;
const batchTimeoutMs = 30_000;
/** A batch with an unknown outcome is sent again; receipts that it has stored before are recognised. */
const attemptsMax = 10;
const reportEvery = 20_000;

const isUnavailable = (outcome: unknown) => outcome instanceof ServiceError && outcome.status === 503;

function refuse(): never {
  throw new Error('the retailer or its store is unknown: start the platform and provision it first');
}

function numberOf(text: string | undefined, fallback: number): number {
  const number = text === undefined ? fallback : Number(text);
  if (!Number.isSafeInteger(number) || number < 0) throw new Error('--count and --first are whole numbers');
  return number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { retailer: { type: 'string' }, count: { type: 'string' }, first: { type: 'string' } },
  });
  const retailer = values.retailer ?? 'demo';
  const first = numberOf(values.first, 0);
  const end = first + numberOf(values.count, 10_000);
  const config = readSettings(storeSettings('receipt-store'));
  const log = createLogger({ service: name, level: 'warn' });
  const database = await connectDatabase({
    uri: config.MONGODB_URI,
    database: databaseOf(config, 'receipt-store'),
    service: name,
    log,
  });
  const collection = await database.collection<StoredReceipt>(receiptCollection);
  const { stores, retailers } = await openDirectories(database, log);
  const receipts = new Receipts(collection);
  const writer = new ReceiptWriter(collection, receipts);
  const vocabulary = new Vocabulary(await database.collection<VocabularyDocument>(vocabularyCollection), log);
  const storing = new StoreReceipts({
    // Samples have no related receipts.
    related: { idsOf: () => Promise.resolve(new Map()) },
    link: () => Promise.resolve(),
    receipts,
    writer: {
      add: async (documents, timeLimit) => {
        const [added] = await Promise.all([
          writer.add(
            documents.map(({ created: _, ...silent }) => silent),
            timeLimit,
          ),
          vocabulary.learn(documents, timeLimit),
        ]);
        return added;
      },
    },
    stores,
    findRetailer: findRetailer({ retailers, ask: refuse, now: () => new Date() }),
    arrivals: { enqueue: () => undefined },
    totals: { noteArrival: () => undefined },
    ask: refuse,
    now: () => new Date(),
  });

  let next = first;
  let stored = 0;
  const begun = performance.now();
  const load = async (): Promise<void> => {
    while (next < end) {
      const from = next;
      next = Math.min(end, from + batchCount);
      const call: Call = serviceCall(name, Date.now(), retailer, batchTimeoutMs);
      const submissions = Array.from({ length: next - from }, (_, i) => ({
        id: newId(),
        posted: sampleReceipt(from + i, `sample-${first}`),
        posDataIds: [],
        origin: `sample:${from + i}`,
        call,
      }));
      let outcomes = await storing.store(submissions);
      for (let attempt = 1; attempt < attemptsMax && outcomes.some(isUnavailable); attempt++) {
        outcomes = await storing.store(submissions);
      }
      const before = stored;
      stored += outcomes.filter((outcome) => !(outcome instanceof ServiceError)).length;
      const fault = outcomes.find(isUnavailable);
      if (fault instanceof ServiceError) throw fault;
      if (Math.floor(stored / reportEvery) > Math.floor(before / reportEvery)) {
        const perSecond = Math.round((stored / (performance.now() - begun)) * 1000);
        process.stdout.write(`${stored} receipts, ${perSecond} a second\n`);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: batchesAtATime }, load));
    process.stdout.write(`${stored} of ${end - first} receipts stored\n`);
  } finally {
    await writer.drain();
    await database.close();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
