import { isDeepStrictEqual } from 'node:util';
import { receiptStoreContracts as contracts } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { FakeBroker } from '@receipts/messaging/testing';
import { idempotencyCollection } from '@receipts/storage';
import { connectDatabase, type Database } from '@receipts/storage';
import {
  crashableDatabases,
  crashAtEveryStep,
  CrashHarness,
  keyedCommands,
  silentLog,
  testDatabase,
  until,
  type Repeatable,
} from '@receipts/testing';
import { startService } from '../service';
import type { ProgressDocument, TotalsDocument } from '../totals/storage/totals-documents';
import { idSecret, publicUrl, receiptBytesMax } from '../testing/harness';
import { callOf, postedReceipt, retailerOf } from '../testing/samples';

let world: CrashHarness<Database, Process>;

beforeAll(async () => {
  world = await CrashHarness.begin({
    open: (uri) =>
      connectDatabase({ uri, database: testDatabase(), service: 'receipt-store', log: silentLog }),
    keys: idempotencyCollection.name,
    start: processOn,
  });
});
afterAll(() => world.end());

interface Process {
  readonly broker: FakeBroker;
  stop(): Promise<void>;
}

async function processOn(of: Database): Promise<Process> {
  const broker = new FakeBroker();
  broker.answers.set('admin.list-retailers', () => ({ retailers: [retailerOf('demo')], next: null }));
  broker.answers.set('admin.list-store-records', () => ({ stores: [], next: null }));
  broker.answers.set('admin.find-retailer', ({ id }: { id: string }) => ({ retailer: retailerOf(id) }));
  broker.answers.set('ingest.find-packet-state', () => ({ state: 'unknown' }));
  broker.answers.set('admin.find-store', () => ({ store: null }));
  const service = await startService({
    broker,
    database: of,
    log: silentLog,
    idSecret,
    publicUrl,
    receiptBytesMax,
  });
  return { broker, stop: () => service.stop() };
}

const stored = () => world.database.db.collection('receipts');
const settings = { assign_returns_receipt: true };

async function repeatedReceipt(link?: string): Promise<Repeatable<Process>> {
  const [transaction_id, idempotencyKey] = [newId(), newId()];
  const body = { ...postedReceipt({ transaction_id }), link };
  return {
    execute: ({ broker }) =>
      broker.ask(contracts.createReceipt, { body }, callOf('demo', { idempotencyKey })),
    effects: () => stored().countDocuments({ transaction_id }),
  };
}

const commands: readonly (readonly [string, () => Promise<Repeatable<Process>>])[] = [
  [
    'allotLinks',
    () => {
      const idempotencyKey = newId();
      return Promise.resolve({
        execute: ({ broker }) =>
          broker.ask(contracts.allotLinks, { body: { count: 100 } }, callOf('demo', { idempotencyKey })),
        // Only the reply is stored.
        effects: () => Promise.resolve(1),
      });
    },
  ],
  [
    'createReceipts',
    async () => {
      const { body: allotted } = await world.survivor.broker.ask(
        contracts.allotLinks,
        { body: {} },
        callOf('demo'),
      );
      const [first, last, idempotencyKey] = [newId(), newId(), newId()];
      // The second receipt repeats the first, so the batch is written in two parts.
      const receipts = [first, first, last].map((transaction_id) => ({
        ...postedReceipt({ transaction_id }),
        ...(transaction_id === last && { link: allotted.links[0]?.link }),
      }));
      const body = Buffer.from(JSON.stringify({ receipts }));
      const input = { body, contentType: 'application/json' };
      return {
        execute: ({ broker }) =>
          broker.ask(contracts.createReceipts, input, callOf('demo', { idempotencyKey })),
        effects: async () => (await stored().countDocuments({ transaction_id: { $in: [first, last] } })) / 2,
      };
    },
  ],
  ['createReceipt', () => repeatedReceipt()],
  [
    'createReceipt',
    async () => {
      const { body } = await world.survivor.broker.ask(contracts.allotLinks, { body: {} }, callOf('demo'));
      return repeatedReceipt(body.links[0]?.link);
    },
  ],
  [
    'assignReceipt',
    async () => {
      const [transaction_id, idempotencyKey] = [newId(), newId()];
      await world.survivor.broker.ask(
        contracts.createReceipt,
        { body: postedReceipt({ transaction_id }) },
        callOf('demo'),
      );
      const input = { query: {}, body: { transaction_id, identifier: 'jane' } };
      return {
        execute: ({ broker }) =>
          broker.ask(contracts.assignReceipt, input, callOf('demo', { idempotencyKey, settings })),
        effects: async () => Number((await stored().findOne({ transaction_id }))?.['version']) - 1,
      };
    },
  ],
  [
    'voidReceipt',
    async () => {
      const [transaction_id, idempotencyKey] = [newId(), newId()];
      const { body: created } = await world.survivor.broker.ask(
        contracts.createReceipt,
        { body: postedReceipt({ transaction_id }) },
        callOf('demo'),
      );
      const input = { params: { id: created.id }, body: { reason: 'wrong customer' } };
      return {
        execute: ({ broker }) => broker.ask(contracts.voidReceipt, input, callOf('demo', { idempotencyKey })),
        effects: async () => Number((await stored().findOne({ transaction_id }))?.['version']) - 1,
      };
    },
  ],
  [
    'createGiftReceipt',
    async () => {
      const [transaction_id, idempotencyKey] = [newId(), newId()];
      const { body: created } = await world.survivor.broker.ask(
        contracts.createReceipt,
        { body: postedReceipt({ transaction_id }) },
        callOf('demo'),
      );
      const input = { params: { id: created.id }, body: { message: 'for you' } };
      return {
        execute: ({ broker }) =>
          broker.ask(contracts.createGiftReceipt, input, callOf('demo', { idempotencyKey })),
        effects: async () =>
          ((await stored().findOne({ transaction_id }))?.['gifts'] as unknown[] | undefined)?.length ?? 0,
      };
    },
  ],
  [
    'reindexReceipts',
    async () => {
      const [transaction_id, idempotencyKey] = [newId(), newId()];
      const body = postedReceipt({ transaction_id });
      await world.survivor.broker.ask(contracts.createReceipt, { body }, callOf('demo'));
      const before = await stored().findOne({ transaction_id });
      await stored().updateOne({ transaction_id }, { $set: { 'search.text': [] } });
      const input = { params: { id: 'demo' }, body: { after: Number(before?.['arrival']) - 1, count: 1 } };
      return {
        execute: ({ broker }) => broker.ask(contracts.reindexReceipts, input, callOf('', { idempotencyKey })),
        effects: async () =>
          Number(
            isDeepStrictEqual((await stored().findOne({ transaction_id }))?.['search'], before?.['search']),
          ),
      };
    },
  ],
  [
    'rebuildTotals',
    async () => {
      const idempotencyKey = newId();
      const query = { group_by: ['currency'] } as never;
      await world.survivor.broker.ask(contracts.createReceipt, { body: postedReceipt() }, callOf('demo'));
      await world.survivor.broker.ask(contracts.getTotals, { query }, callOf('demo'));
      const totals = world.database.db.collection<TotalsDocument>('receipt_totals');
      const before = (await totals.findOne({ _id: 'demo' })) as ProgressDocument | null;
      return {
        execute: ({ broker }) =>
          broker.ask(contracts.rebuildTotals, { body: {} }, callOf('', { idempotencyKey })),
        effects: async () => {
          const after = (await totals.findOne({ _id: 'demo' })) as ProgressDocument | null;
          const generations = new Set([after?.generation, after?.rebuild?.generation]);
          // A rebuild from an earlier command may still be in progress.
          for (const earlier of [before?.generation, before?.rebuild?.generation, undefined]) {
            generations.delete(earlier);
          }
          return generations.size;
        },
      };
    },
  ],
];

it('covers every command that accepts an idempotency key', () => {
  expect([...new Set(commands.map(([name]) => name))].sort()).toEqual(keyedCommands(contracts));
});

it.each(commands)(
  'has one effect and one reply if %s crashes at any step and is retried with its key',
  async (_name, command) => {
    const crashes = await world.repeatAfterCrashes(command);
    expect(crashes).toBeGreaterThanOrEqual(2);
  },
);

it('completes a waiting return in another process if a process crashes at any step of storing the sale', async () => {
  const post = async ({ broker }: Process, change: Parameters<typeof postedReceipt>[0]) =>
    (await broker.ask(contracts.createReceipt, { body: postedReceipt(change) }, callOf('demo'))).body.id;
  const crashes = await crashAtEveryStep<Database, Process>({
    crashable: crashableDatabases<Database>(world.database),
    start: processOn,
    stop: (process) => process.stop(),
    command: async () => {
      const transaction_id = newId();
      const first = await post(world.survivor, { related: [{ type: 'return', transaction_id }] });
      return {
        execute: (process) => post(process, { transaction_id }),
        async afterwards() {
          const sale = await stored().findOne({ transaction_id });
          if (!sale) return;
          await until(`receipt ${first} is linked`, async () => {
            const text = String((await stored().findOne({ _id: first as never }))?.['text']);
            return text.includes(`"id":"${String(sale._id)}","transaction_id":"${transaction_id}"`);
          });
        },
      };
    },
  });
  expect(crashes).toBeGreaterThanOrEqual(4);
});
