import { identifierContracts as contracts, retailerSettings } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { FakeBroker } from '@receipts/messaging/testing';
import { idempotencyCollection } from '@receipts/storage';
import { connectDatabase, type CursorDocument, type Database } from '@receipts/storage';
import {
  callOf,
  keyedCommands,
  CrashHarness,
  testDatabase,
  type Repeatable,
  silentLog,
} from '@receipts/testing';
import { startService } from '../service';
import { noRoutes } from '../testing/world';

let world: CrashHarness<Database, Process>;

beforeAll(async () => {
  world = await CrashHarness.begin({
    open: (uri) =>
      connectDatabase({ uri, database: testDatabase('identifier'), service: 'identifier', log: silentLog }),
    keys: idempotencyCollection.name,
    start: processOn,
  });
});
afterAll(() => world.end());

const settings = retailerSettings.parse({ cards: { enabled: true, check: 'luhn' } });

interface Process {
  readonly broker: FakeBroker;
  stop(): Promise<void>;
}

async function processOn(of: Database): Promise<Process> {
  const broker = new FakeBroker();
  broker.answers.set('admin.list-retailers', () => ({ retailers: [], next: null }));
  broker.answers.set('admin.find-retailer', ({ id }: { id: string }) => ({
    retailer: { id, name: id, vatno: null, settings, version: 1 },
  }));
  const deps = { broker, database: of, log: silentLog, provider: noRoutes, secrets: ['of a test'] as const };
  const service = await startService({ ...deps, catchUpDelayMs: 1 });
  return { broker, stop: () => service.stop() };
}

const card_number = '4539578763621486';

const commands: readonly (readonly [string, () => Promise<Repeatable<Process>>])[] = [
  [
    'createIdentifier',
    () => {
      const [identifier, idempotencyKey] = [newId(), newId()];
      const body = { identifier, properties: { name: 'Jo' } };
      return Promise.resolve({
        execute: ({ broker }) =>
          broker.ask(contracts.createIdentifier, { body }, callOf('demo', { idempotencyKey })),
        effects: () => world.database.db.collection('identifiers').countDocuments({ identifier }),
      });
    },
  ],
  [
    'eraseIdentifier',
    async () => {
      const [identifier, idempotencyKey] = [newId(), newId()];
      const body = { identifier, properties: {} };
      await world.survivor.broker.ask(contracts.createIdentifier, { body }, callOf('demo'));
      return {
        execute: ({ broker }) =>
          broker.ask(
            contracts.eraseIdentifier,
            { params: { identifier } },
            callOf('demo', { idempotencyKey }),
          ),
        effects: () => world.database.db.collection('erasures').countDocuments({ identifier }),
      };
    },
  ],
  [
    'validateIdentifier',
    () => {
      const [body, idempotencyKey] = [{ identifier: 'jo@nowhere.example' }, newId()];
      return Promise.resolve({
        execute: ({ broker }) =>
          broker.ask(contracts.validateIdentifier, { body }, callOf('demo', { idempotencyKey })),
        // The command changes nothing; only its reply matters.
        effects: () => Promise.resolve(1),
      });
    },
  ],
  [
    'verifyCard',
    async () => {
      const [retailer, idempotencyKey] = [newId(), newId()];
      const cards = { body: Buffer.from(JSON.stringify([{ card_number, registration_code: '123456' }])) };
      const importing = { params: { id: retailer }, contentType: 'application/json', ...cards };
      await world.survivor.broker.ask(contracts.importCards, importing as never, callOf(''));
      const body = { card_number, registration_code: '123456' };
      return {
        execute: ({ broker }) =>
          broker.ask(contracts.verifyCard, { body }, callOf(retailer, { idempotencyKey })),
        // Attempts are counted before the code is compared; an attempt that crashed in between remains counted.
        effects: async () => {
          const attempts = await world.database.db
            .collection<{ _id: string; count: number }>('card_attempts')
            .find({})
            .toArray();
          const counted = attempts.filter(({ _id }) => _id.includes(retailer));
          return counted.every(({ count }) => Number(count) <= 1) ? 1 : 0;
        },
      };
    },
  ],
  [
    'catchUpSummaries',
    async () => {
      const idempotencyKey = newId();
      const cursors = world.database.db.collection<CursorDocument>('receipt_catchup_cursors');
      const _id = `cursor|${idempotencyKey}`;
      await cursors.insertOne({ _id, upTo: 0, rev: 0, next: '1' });
      return {
        execute: ({ broker }) =>
          broker.ask(
            contracts.catchUpSummaries,
            { body: { from_start: true } },
            callOf('', { idempotencyKey }),
          ),
        effects: async () => 1 - (await cursors.countDocuments({ _id })),
      };
    },
  ],
];

it('covers every command that accepts an idempotency key', () => {
  expect(commands.map(([name]) => name).sort()).toEqual(keyedCommands(contracts));
});

it.each(commands)(
  'has one effect and one reply if %s crashes at any step and is retried with its key',
  async (_name, command) => {
    const crashes = await world.repeatAfterCrashes(command);
    expect(crashes).toBeGreaterThanOrEqual(2);
  },
);
