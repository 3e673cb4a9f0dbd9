import { identifierContracts as contracts } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { FakeBroker } from '@receipts/messaging/testing';
import { connectDatabase, idempotencyCollection, type Database } from '@receipts/storage';
import { callOf, repeatAfterDeaths, startMongo, testDatabase, type Mongo } from '@receipts/testing';
import { startService } from '../service';
import { noRoutes, silent } from '../testing/world';

let mongo: Mongo;
let database: Database;
let survivor: Process;

beforeAll(async () => {
  mongo = await startMongo();
  const name = testDatabase('identifier');
  database = await connectDatabase({ uri: mongo.uri, database: name, service: 'identifier', log: silent });
  survivor = await processOn(database);
}, 60_000);
afterAll(async () => {
  await survivor.stop();
  await database.close();
  await mongo.stop();
});

interface Process {
  readonly broker: FakeBroker;
  stop(): Promise<void>;
}

async function processOn(of: Database): Promise<Process> {
  const broker = new FakeBroker();
  broker.answers.set('admin.list-retailers', () => ({ retailers: [], next: null }));
  const parts = { broker, database: of, log: silent, provider: noRoutes, secrets: ['of a test'] as const };
  const service = await startService({ ...parts, catchUpDelayMs: 1 });
  return { broker, stop: () => service.stop() };
}

it('a process may die at any step of creating an identifier: repeated with its key it is done once, with one answer', async () => {
  const deaths = await repeatAfterDeaths<Database, Process>({
    database,
    keys: idempotencyCollection.name,
    start: processOn,
    stop: (process) => process.stop(),
    survivor,
    command: () => {
      const [identifier, idempotencyKey] = [newId(), newId()];
      const body = { identifier, properties: { name: 'Jo' } };
      return Promise.resolve({
        execute: ({ broker }) =>
          broker.ask(contracts.createIdentifier, { body }, callOf('demo', { idempotencyKey })),
        effects: () => database.db.collection('identifiers').countDocuments({ identifier }),
      });
    },
  });
  expect(deaths).toBeGreaterThanOrEqual(4);
}, 60_000);
