import { transformContracts as contracts, type PostedMapping } from '@receipts/contracts';
import { newId, type Contract } from '@receipts/kernel';
import { FakeBroker } from '@receipts/messaging/testing';
import { idempotencyCollection } from '@receipts/storage';
import { connectDatabase, type Database } from '@receipts/storage';
import { callOf, keyedCommands, CrashHarness, testDatabase, silentLog } from '@receipts/testing';
import { Sandbox } from '../sandbox/sandbox';
import { startService } from '../service';

let world: CrashHarness<Database, Process>;
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = new Sandbox({ processesMax: 1 });
  world = await CrashHarness.begin({
    open: (uri) =>
      connectDatabase({ uri, database: testDatabase('transform'), service: 'transform', log: silentLog }),
    keys: idempotencyCollection.name,
    start: processOn,
  });
});
afterAll(async () => {
  await world.end();
  sandbox.stop();
});

const packet = { id: newId(), content_type: 'application/json', metadata: {}, properties: {}, mapping: null };

interface Process {
  readonly broker: FakeBroker;
  stop(): Promise<void>;
}

async function processOn(of: Database): Promise<Process> {
  const broker = new FakeBroker();
  // The packet for the dry run.
  broker.answers.set('ingest.get-packet', () => packet);
  broker.answers.set('ingest.get-packet-raw', () => Buffer.from('{"no":"1"}'));
  const service = await startService({ broker, database: of, sandbox, log: silentLog });
  return { broker, stop: () => service.stop() };
}

const mapping: PostedMapping = {
  id: 'slips',
  decode: { type: 'json' },
  transform: { language: 'jsonata', expression: '{ "transaction_id": doc.no }' },
};

const create = (retailer: string) =>
  world.survivor.broker.ask(contracts.createMapping, { body: mapping }, callOf(retailer));

async function createActive(retailer: string): Promise<void> {
  await create(retailer);
  await world.survivor.broker.ask(
    contracts.activateMapping,
    { params: { id: 'slips' }, body: {} },
    callOf(retailer),
  );
}

/** The latest version of the mapping, and the number of activations and deactivations. */
async function headOf(retailer: string): Promise<{ newest: number; active: number | null }> {
  const found = await world.database.db.collection('mappings').findOne({ retailer });
  return found as unknown as { newest: number; active: number | null };
}

interface Command {
  readonly name: keyof typeof contracts;
  readonly prepare?: (retailer: string) => Promise<unknown>;
  readonly input: object | ((retailer: string) => object);
  readonly effects: (retailer: string) => Promise<number>;
}

const commands: readonly Command[] = [
  {
    name: 'createMapping',
    input: { body: mapping },
    effects: (retailer) => world.database.db.collection('mapping_versions').countDocuments({ retailer }),
  },
  {
    name: 'activateMapping',
    prepare: create,
    input: { params: { id: 'slips' }, body: {} },
    effects: async (retailer) => Number((await headOf(retailer)).active === 1),
  },
  {
    name: 'deactivateMapping',
    prepare: createActive,
    input: { params: { id: 'slips' } },
    effects: async (retailer) => Number((await headOf(retailer)).active === null),
  },
  {
    name: 'dryRunMapping',
    prepare: create,
    input: { body: { mapping: 'slips', input_base64: Buffer.from('{"no":"1"}').toString('base64') } },
    // A dry run stores nothing, so only the version created before it exists.
    effects: (retailer) => world.database.db.collection('mapping_versions').countDocuments({ retailer }),
  },
  {
    name: 'dryRunPacket',
    prepare: create,
    input: (id) => ({ params: { id, packet_id: newId() }, body: {} }),
    effects: (retailer) => world.database.db.collection('mapping_versions').countDocuments({ retailer }),
  },
];

it('covers every command that accepts an idempotency key', () => {
  expect(commands.map(({ name }) => name).sort()).toEqual(keyedCommands(contracts));
});

it.each(commands.map((command) => [command.name, command] as const))(
  'has one effect and one reply if %s crashes at any step and is retried with its key',
  async (name, { prepare, input, effects }) => {
    const crashes = await world.repeatAfterCrashes(async () => {
      const retailer = `r-${newId()}`;
      await prepare?.(retailer);
      const call = () => callOf(retailer, { idempotencyKey: 'a key' });
      const given = typeof input === 'function' ? input(retailer) : input;
      return {
        execute: ({ broker }) => broker.ask(contracts[name] as Contract, given as never, call()),
        effects: () => effects(retailer),
      };
    });
    expect(crashes).toBeGreaterThanOrEqual(3);
  },
);
