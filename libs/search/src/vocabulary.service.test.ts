import type { Collection } from 'mongodb';
import { newId, ServiceError } from '@receipts/kernel';
import type { SearchDocument } from '@receipts/search-language';
import type { Database } from '@receipts/storage';
import { startDatabase, silentLog } from '@receipts/testing';
import { KnownWords } from './known-words';
import { Vocabulary, vocabularyCollection, type VocabularyDocument } from './vocabulary';

let database: Database;
let collection: Collection<VocabularyDocument>;

beforeAll(async () => {
  database = await startDatabase();
  collection = await database.collection<VocabularyDocument>(vocabularyCollection);
});

afterAll(() => database.close());

const timeLimit = () => ({ deadline: Date.now() + 60_000 });

function receiptOf(retailer: string, ...words: string[]) {
  const search: SearchDocument = { terms: words.map((word) => `in:${word}`), numbers: {}, texts: [] };
  return { retailer, search };
}

const similar = (vocabulary: Vocabulary, retailer: string, word: string, edits = 1) =>
  vocabulary.similar({ retailer, code: 'in' }, word, { editsMax: edits, countMax: 50 }, timeLimit());

test('returns the nearest words first, and no more than requested', async () => {
  const vocabulary = new Vocabulary(collection, silentLog);
  const retailer = newId();
  await vocabulary.learn([receiptOf(retailer, 'shirts', 'short', 'shirt', 'trousers')], timeLimit());
  await vocabulary.learn([receiptOf(retailer, 'shirt', 'socks')], timeLimit());
  expect(await similar(vocabulary, retailer, 'shirt', 2)).toEqual(['shirt', 'short', 'shirts']);
  expect(
    await vocabulary.similar({ retailer, code: 'in' }, 'shirt', { editsMax: 2, countMax: 1 }, timeLimit()),
  ).toEqual(['shirt']);
  expect(
    await vocabulary.similar({ retailer, code: 'ie' }, 'shirt', { editsMax: 2, countMax: 50 }, timeLimit()),
  ).toEqual([]);
});

test('removes only words that no text contains any more, and learns them again', async () => {
  const vocabulary = new Vocabulary(collection, silentLog);
  const [retailer, other] = [newId(), newId()];
  for (const each of [retailer, other])
    await vocabulary.learn([receiptOf(each, 'shirt', 'shorts', 'janes')], timeLimit());
  const used = new Set(['in:shirt']);
  const forget = (isUsed = async (token: string) => used.has(token)) =>
    vocabulary.forget(retailer, ['in:shirt', 'in:janes', 'ie=janes'], isUsed, timeLimit());
  await forget();
  expect(await similar(vocabulary, retailer, 'janes')).toEqual([]);
  expect(await similar(vocabulary, other, 'janes')).toEqual(['janes']);
  expect(await similar(vocabulary, retailer, 'shirt', 2)).toEqual(['shirt', 'shorts']);
  await vocabulary.learn([receiptOf(retailer, 'janes')], timeLimit());
  expect(await similar(vocabulary, retailer, 'janes')).toEqual(['janes']);
  // A text with the word is stored while it is removed.
  let checks = 0;
  await forget(async (token) => token === 'in:shirt' || ++checks > 1);
  expect(await similar(vocabulary, retailer, 'janes')).toEqual(['janes']);
});

test('a process stores a word again that another process has removed, after an hour', () => {
  let nowMs = 0;
  const known = new KnownWords(10, () => nowMs);
  known.add('acme', 'shirt');
  nowMs = 59 * 60_000;
  expect(known.has('acme', 'shirt')).toBe(true);
  nowMs = 61 * 60_000;
  expect(known.has('acme', 'shirt')).toBe(false);
});

test('does not write known words again', async () => {
  const insertMany = jest.fn(collection.insertMany.bind(collection));
  const vocabulary = new Vocabulary(Object.assign(Object.create(collection), { insertMany }), silentLog);
  const retailer = newId();
  await vocabulary.learn([receiptOf(retailer, 'red', 'shirt')], timeLimit());
  await vocabulary.learn([receiptOf(retailer, 'shirt', 'red')], timeLimit());
  expect(insertMany).toHaveBeenCalledTimes(1);
});

test('retries words whose write failed, together with the next words', async () => {
  const insertMany = jest
    .fn(collection.insertMany.bind(collection))
    .mockRejectedValueOnce(new ServiceError({ status: 503, description: 'away' }));
  const vocabulary = new Vocabulary(Object.assign(Object.create(collection), { insertMany }), silentLog);
  const retailer = newId();
  await vocabulary.learnSoon([receiptOf(retailer, 'first')], timeLimit());
  expect(await similar(vocabulary, retailer, 'first')).toEqual([]);
  await vocabulary.learn([receiptOf(retailer, 'second')], timeLimit());
  expect(await similar(vocabulary, retailer, 'first')).toEqual(['first']);
});

test('fails for a caller that repeats the call, until the words are stored', async () => {
  const insertMany = jest
    .fn(collection.insertMany.bind(collection))
    .mockRejectedValueOnce(new ServiceError({ status: 503, description: 'away' }));
  const vocabulary = new Vocabulary(Object.assign(Object.create(collection), { insertMany }), silentLog);
  const receipts = [receiptOf(newId(), 'first')];
  await expect(vocabulary.learn(receipts, timeLimit())).rejects.toThrow('away');
  await vocabulary.learn(receipts, timeLimit());
  expect(insertMany).toHaveBeenCalledTimes(2);
});

test('finds words with the same prefix if a field has a large number of words', async () => {
  const vocabulary = new Vocabulary(collection, silentLog);
  const retailer = newId();
  const words = Array.from({ length: 12_000 }, (_, i) => String(1_000_000 + i));
  // In batches, as in production: a single write would keep a slow machine busy for longer than the time limit of a
  // read.
  for (let at = 0; at < words.length; at += 500)
    await vocabulary.learn([receiptOf(retailer, ...words.slice(at, at + 500))], timeLimit());
  await vocabulary.learn([receiptOf(retailer, 'zebra77')], timeLimit());
  expect(await similar(vocabulary, retailer, '1011998')).toContain('1011999');
  expect(await similar(vocabulary, retailer, 'zerba77')).toEqual(['zebra77']);
});

test('caches recurring words, but not words that occurred once', () => {
  const known = new KnownWords(10);
  known.add('demo', 'shirt');
  for (let i = 0; i < 100; i++) {
    known.add('demo', `number ${i}`);
    expect(known.has('demo', 'shirt')).toBe(true);
  }
  expect([known.has('demo', 'number 1'), known.has('demo', 'number 99')]).toEqual([false, true]);
});

test('does not share words between retailers, but shares the cache', () => {
  const known = new KnownWords(10);
  known.add('demo', 'shirt');
  expect(known.has('other', 'shirt')).toBe(false);
  for (let i = 0; i < 100; i++) known.add(`retailer ${i}`, 'shirt');
  expect([known.has('demo', 'shirt'), known.has('retailer 99', 'shirt')]).toEqual([false, true]);
});
