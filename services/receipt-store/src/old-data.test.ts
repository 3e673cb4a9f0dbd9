import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  receiptStoreContracts as contracts,
  returnedReceipt,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { startEmbeddedMongo } from '@receipts/embedded-mongo';
import { Harness, refusal } from './testing/harness';
import { callOf, postedReceipt, retailerOf } from './testing/samples';

/**
 * The store of a platform of commit 34f63b5: ten receipts of the demo retailer, `old-1` to `old-10`, then three of packets,
 * `P-1` to `P-3`; `old-1` was patched at the end. Events stood in outboxes then, and numbers came from a sequence. Its search documents have no terms
 * of numbers, and its store keys another form, so that receipts are not found by these before they are written anew.
 */
const fixture = path.join(__dirname, '../fixtures/data-of-34f63b5.mdb.gz');
const database = 'receipts_receipt_store';
const retailer = 'demo';
const oldOnes = ['P-3', 'P-2', 'P-1', ...Array.from({ length: 10 }, (_, i) => `old-${10 - i}`)];

interface Listed {
  readonly _links: Readonly<Record<string, { readonly href: string }>>;
  readonly receipts: readonly ReturnedReceipt[];
}

let folder: string;
let harness: Harness;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'old-data-'));
  writeFileSync(path.join(folder, 'data.mdb'), gunzipSync(readFileSync(fixture)));
  const server = await startEmbeddedMongo({ path: folder });
  harness = await Harness.start({ mongo: { uri: server.uri, stop: () => server.close() }, database });
  harness.retailer(() => retailerOf(retailer));
}, 60_000);

afterAll(async () => {
  await harness?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const list = (query: object = {}) =>
  harness.read<Listed>(contracts.listReceipts, { query: { count: 20, ...query } } as never, callOf(retailer));
const search = async (query: string) => {
  const input = { query: { query, count: 20, offset: 0 } };
  const answer = await harness.read<{ hits: number } & Listed>(
    contracts.searchReceipts,
    input as never,
    callOf(retailer),
  );
  return answer.receipts.map(({ transaction_id }) => transaction_id);
};
const names = ({ receipts }: Listed) => receipts.map(({ transaction_id }) => transaction_id);
const post = (change: Parameters<typeof postedReceipt>[0]) =>
  harness.fake.call(contracts.createReceipt, { body: postedReceipt(change) }, callOf(retailer));

test('what is there is listed in its order, for everybody and for one consumer', async () => {
  expect(names(await list())).toEqual(oldOnes);
  expect(names(await list({ consumer: ['joe@example.com'] }))).toEqual(['old-9', 'old-6', 'old-3']);
});

test.each([
  ['items.name:shirt', ['old-9', 'old-7', 'old-5', 'old-3', 'old-1']],
  ['items.name:"red cotton"', ['old-9', 'old-7', 'old-5', 'old-3', 'old-1']],
  ['items.name:shrit~', ['old-9', 'old-7', 'old-5', 'old-3', 'old-1']],
  ['items.name:hat', ['P-3', 'P-2', 'P-1']],
  ['+total:[20 TO 32] +payments.method:card', ['old-3']],
  ['identifier.exact:joe@example.com', ['old-9', 'old-6', 'old-3']],
  ['items.properties.product_code:P-4', ['old-4']],
  ['transaction_id:10', ['old-10']],
])('%s', async (query, found) => {
  expect(await search(query)).toEqual(found);
});

test('each is given with every key that the interface documents', async () => {
  for (const receipt of (await list()).receipts) {
    expect(returnedReceipt.safeParse(receipt).error).toBeUndefined();
    expect(Object.keys(receipt).sort()).toEqual(Object.keys(returnedReceipt.shape).sort());
  }
});

test('new receipts come after the old ones, and a reader who follows sees just them', async () => {
  const before = await list();
  const newer = new URL(before._links['newer']?.href ?? '', 'http://base').searchParams.get('newer');
  await post({ transaction_id: 'new-1', items: [{ name: 'Red shirt', quantity: 1, total: 10 }] });
  await post({ transaction_id: 'new-2' });
  expect(names(await list({ newer }))).toEqual(['new-2', 'new-1']);
  expect(names(await list())).toEqual(['new-2', 'new-1', ...oldOnes]);
  expect(await search('items.name:shirt')).toEqual(['new-1', 'old-9', 'old-7', 'old-5', 'old-3', 'old-1']);
  const seqs = await harness.database.db
    .collection('receipts')
    .find({ retailer, text: { $exists: true } }, { sort: { seq: 1 }, projection: { seq: 1 } })
    .toArray();
  expect(new Set(seqs.map(({ seq }) => seq as number)).size).toBe(oldOnes.length + 2);
});

test('what was taken stays taken', async () => {
  const [old] = (await list({ transaction_id: ['old-10'] })).receipts;
  expect(await refusal(post({ transaction_id: 'old-10' }))).toMatchObject({
    code: 'duplicate_transaction_id',
    extra: { id: old?.id },
  });
  const external_id = '0b3c1a34-7f0e-4d0e-9c51-6f0f9f0c1a34';
  expect(await refusal(post({ external_id }))).toMatchObject({ code: 'duplicate_external_id' });
});

test('an old receipt is changed, found by the change, and told of; only new receipts are told to be new', async () => {
  const [old] = (await list({ transaction_id: ['old-2'] })).receipts;
  const body = [{ op: 'replace', path: '/identifier', value: 'ann@example.com' }];
  const params = { id: old?.id ?? '' };
  await harness.fake.call(contracts.patchReceipt, { params, headers: {}, body } as never, callOf(retailer));
  expect(await search('identifier.exact:ann@example.com')).toEqual(['old-2']);
  await harness.published();
  const created = harness.fake.published.filter(({ type }) => type === 'receipt.created');
  const told = created.map(({ data }) => (data as { transaction_id: string }).transaction_id);
  expect(told.filter((name) => !name.startsWith('new-'))).toEqual([]);
  const updated = harness.fake.published.filter(({ type }) => type === 'receipt.updated');
  expect(updated.map(({ subject, sequence }) => [subject, sequence])).toEqual([[params.id, 2]]);
});
