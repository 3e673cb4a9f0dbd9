import { transformContracts as contracts, type PostedMapping } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { FakeBroker } from '@receipts/messaging/testing';
import { connectDatabase, idempotencyCollection, type Database } from '@receipts/storage';
import { callOf, repeatAfterDeaths, startMongo, testDatabase, type Mongo } from '@receipts/testing';
import { createSandbox, type Sandbox } from '../sandbox/sandbox';
import { startService } from '../service';

const log = { info() {}, warn() {}, error() {}, debug() {} };

let mongo: Mongo;
let database: Database;
let sandbox: Sandbox;
let survivor: Process;

beforeAll(async () => {
  mongo = await startMongo();
  const name = testDatabase('transform');
  database = await connectDatabase({ uri: mongo.uri, database: name, service: 'transform', log });
  sandbox = createSandbox({ processesMax: 1 });
  survivor = await processOn(database);
}, 60_000);
afterAll(async () => {
  await survivor.stop();
  sandbox.stop();
  await database.close();
  await mongo.stop();
});

interface Process {
  readonly broker: FakeBroker;
  stop(): Promise<void>;
}

async function processOn(of: Database): Promise<Process> {
  const broker = new FakeBroker();
  const service = await startService({ broker, database: of, sandbox, log });
  return { broker, stop: () => service.stop() };
}

const mapping: PostedMapping = {
  id: 'slips',
  decode: { type: 'json' },
  transform: { language: 'jsonata', expression: '{ "transaction_id": doc.no }' },
};

const create = (retailer: string) =>
  survivor.broker.ask(contracts.createMapping, { body: mapping }, callOf(retailer));

async function createActive(retailer: string): Promise<void> {
  await create(retailer);
  await survivor.broker.ask(
    contracts.activateMapping,
    { params: { id: 'slips' }, body: {} },
    callOf(retailer),
  );
}

/** The latest version of the mapping, and how often a version of it was activated or deactivated. */
async function headOf(retailer: string): Promise<{ newest: number; active: number | null }> {
  const found = await database.db.collection('mappings').findOne({ retailer });
  return found as unknown as { newest: number; active: number | null };
}

interface Command {
  readonly contract: (typeof contracts)[
    'createMapping' | 'activateMapping' | 'deactivateMapping' | 'dryRunMapping'];
  readonly prepare?: (retailer: string) => Promise<unknown>;
  readonly input: object;
  readonly effects: (retailer: string) => Promise<number>;
}

const commands: readonly Command[] = [
  {
    contract: contracts.createMapping,
    input: { body: mapping },
    effects: (retailer) => database.db.collection('mapping_versions').countDocuments({ retailer }),
  },
  {
    contract: contracts.activateMapping,
    prepare: create,
    input: { params: { id: 'slips' }, body: {} },
    effects: async (retailer) => Number((await headOf(retailer)).active === 1),
  },
  {
    contract: contracts.deactivateMapping,
    prepare: createActive,
    input: { params: { id: 'slips' } },
    effects: async (retailer) => Number((await headOf(retailer)).active === null),
  },
  {
    contract: contracts.dryRunMapping,
    prepare: create,
    input: { body: { mapping: 'slips', input_base64: Buffer.from('{"no":"1"}').toString('base64') } },
    // It stores nothing: the version is the one that was there.
    effects: (retailer) => database.db.collection('mapping_versions').countDocuments({ retailer }),
  },
];

it.each(commands.map((command) => [command.contract.name, command] as const))(
  'a process may die at any step of %s: repeated with its key it is done once, with one answer',
  async (_name, { contract, prepare, input, effects }) => {
    const deaths = await repeatAfterDeaths<Database, Process>({
      database,
      keys: idempotencyCollection.name,
      start: processOn,
      stop: (process) => process.stop(),
      survivor,
      command: async () => {
        const retailer = `r-${newId()}`;
        await prepare?.(retailer);
        const call = () => callOf(retailer, { idempotencyKey: 'a key' });
        return {
          execute: ({ broker }) => broker.ask(contract, input as never, call()),
          effects: () => effects(retailer),
        };
      },
    });
    expect(deaths).toBeGreaterThanOrEqual(3);
  },
  60_000,
);
