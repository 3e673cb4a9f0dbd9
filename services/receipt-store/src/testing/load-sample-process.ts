#!/usr/bin/env node
/**
 * Fills a retailer with generated receipts, to measure lists and searches: `npm run load-sample -- --retailer demo
 * --count 100000 --first 0`. They are stored like posted receipts but publish no events, so summaries and loyalty do
 * not change.
 */
import { parseArgs } from 'node:util';
import { databaseOf, createLogger, readSettings, storeSettings } from '@receipts/host';
import { newId, serviceCall, ServiceError, type Call } from '@receipts/kernel';
import { Vocabulary, vocabularyCollection, type VocabularyDocument } from '@receipts/search';
import { connectDatabase } from '@receipts/storage';
import { sampleReceipt } from './sample-receipt';
import { openDirectories } from '../storage/directories';
import { openReceipts } from '../storage/open-receipts';
import type { ReceiptWriter } from '../storage/receipt-writer';
import { StoreReceipts } from '../use-cases/store-receipts';

const name = 'load-sample';
/**
 * Larger batches put more keys on each page of the index. A batch must finish within the database timeout of two seconds.
 */
const batchCount = 400;
/** The number of batches in progress: one is generated while the database writes the other. */
const batchesAtATime = 2;
const batchTimeoutMs = 30_000;
/** A batch with an unknown outcome is sent again; receipts that it has already stored are recognized. */
const attemptsMax = 10;
const reportEvery = 20_000;

const isUnavailable = (outcome: unknown) => outcome instanceof ServiceError && outcome.status === 503;

function refuse(): never {
  throw new Error('the retailer or its store is unknown: start the platform and provision it first');
}

function numberOf(text: string | undefined, fallback: number): number {
  const number = text === undefined ? fallback : Number(text);
  if (!Number.isSafeInteger(number) || number < 0)
    throw new Error('--count and --first must be whole numbers');
  return number;
}

/** The numbers of the receipts of a sample; the end is exclusive. */
interface Sample {
  readonly retailer: string;
  readonly first: number;
  readonly end: number;
}

function readSample(): Sample {
  const { values } = parseArgs({
    options: { retailer: { type: 'string' }, count: { type: 'string' }, first: { type: 'string' } },
  });
  const first = numberOf(values.first, 0);
  return { retailer: values.retailer ?? 'demo', first, end: first + numberOf(values.count, 10_000) };
}

async function openStoring() {
  const config = readSettings(storeSettings('receipt-store'));
  const log = createLogger({ service: name, level: 'warn' });
  const database = await connectDatabase({
    uri: config.MONGODB_URI,
    database: databaseOf(config, 'receipt-store'),
    service: name,
    log,
  });
  const { receipts, writer } = await openReceipts(database);
  const { stores, findRetailer } = await openDirectories(database, refuse, log);
  const vocabulary = new Vocabulary(await database.collection<VocabularyDocument>(vocabularyCollection), log);
  const add: ReceiptWriter['add'] = async (documents, timeLimit) => {
    const silent = documents.map(({ created: _, ...document }) => document);
    const [added] = await Promise.all([
      writer.add(silent, timeLimit),
      vocabulary.learn(documents, timeLimit),
    ]);
    return added;
  };
  const now = () => new Date();
  const storing = new StoreReceipts({
    // Samples have no related receipts.
    related: { idsOf: () => Promise.resolve(new Map()) },
    receipts,
    writer: { add },
    stores,
    now,
    ask: refuse,
    findRetailer,
    arrivals: { add: () => Promise.resolve() },
    totals: { noteArrival: () => undefined },
  });
  const close = async () => {
    await writer.drain();
    await database.close();
  };
  return { storing, close };
}

/** @returns the number of stored receipts; receipts from an earlier load are not stored again */
async function storeBatch(
  storing: StoreReceipts,
  { retailer, first }: Sample,
  from: number,
  count: number,
): Promise<number> {
  const call: Call = serviceCall(name, Date.now(), retailer, batchTimeoutMs);
  const submissions = Array.from({ length: count }, (_, i) => ({
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
  const fault = outcomes.find(isUnavailable);
  if (fault instanceof ServiceError) throw fault;
  return outcomes.filter((outcome) => !(outcome instanceof ServiceError)).length;
}

async function main(): Promise<void> {
  const sample = readSample();
  const { first, end } = sample;
  const { storing, close } = await openStoring();
  let next = first;
  let stored = 0;
  const begun = performance.now();
  const load = async (): Promise<void> => {
    while (next < end) {
      const from = next;
      next = Math.min(end, from + batchCount);
      const count = await storeBatch(storing, sample, from, next - from);
      stored += count;
      if (Math.floor(stored / reportEvery) === Math.floor((stored - count) / reportEvery)) continue;
      const perSecond = Math.round((stored / (performance.now() - begun)) * 1000);
      process.stdout.write(`${stored} receipts, ${perSecond} a second\n`);
    }
  };
  try {
    await Promise.all(Array.from({ length: batchesAtATime }, load));
    process.stdout.write(`${stored} of ${end - first} receipts stored\n`);
  } finally {
    await close();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
