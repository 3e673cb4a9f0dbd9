import path from 'node:path';
import { newId, type Call } from '@receipts/kernel';
import { transformContracts } from '@receipts/contracts';
import { FakeBroker } from '@receipts/messaging/testing';
import { connectDatabase, type Database } from '@receipts/storage';
import { putDocuments, startMongo, testDatabase, type Mongo, silentLog } from '@receipts/testing';
import { createSandbox, type Sandbox } from './sandbox/sandbox';
import { startService } from './service';

let mongo: Mongo;
let database: Database;
let sandbox: Sandbox;
const broker = new FakeBroker();
/** What receipt-store was given. */
const added: object[] = [];
broker.answers.set('receipt-store.add-converted-receipts', (body: Buffer) => {
  const { receipts } = JSON.parse(body.toString()) as { receipts: { id: string }[] };
  added.push(...receipts);
  return { results: receipts.map(({ id }) => ({ id })) };
});

beforeAll(async () => {
  mongo = await startMongo();
  const databaseName = testDatabase('transform');
  database = await connectDatabase({
    uri: mongo.uri,
    database: databaseName,
    service: 'transform',
    log: silentLog,
  });
  await putDocuments(database.db, path.join(__dirname, '../fixtures/documents-of-0.1.0.json'));
  sandbox = createSandbox({ processesMax: 1 });
  await startService({ broker, database, sandbox, log: silentLog });
}, 60_000);
afterAll(async () => {
  sandbox.stop();
  await database.close();
  await mongo.stop();
});

async function ask(name: keyof typeof transformContracts, input: object) {
  const call: Call = {
    ...{ id: newId(), requestId: newId(), retailer: 'demo', at: Date.now(), deadline: Date.now() + 60_000 },
    principal: { kind: 'client', id: 'bearer:1' },
  };
  const whole = { query: {}, params: {}, headers: {}, body: undefined, ...input };
  return ((await broker.call(transformContracts[name], whole as never, call)) as { body: any }).body;
}

it('mappings have the versions that they had, of which one is active', async () => {
  const { mappings } = await ask('listMappings', {});
  expect(mappings).toMatchObject([
    { id: 'draft', version: 1, status: 'draft' },
    { id: 'till-json', version: 3, status: 'draft' },
  ]);
  const first = await ask('getMapping', { params: { id: 'till-json' }, query: { version: 1 } });
  expect(first).toMatchObject({
    version: 1,
    description: 'JSON of the till',
    samples: [{ name: 'one sale' }],
  });
  const active = await ask('getMapping', { params: { id: 'till-json' }, query: { version: 2 } });
  expect(active).toMatchObject({ version: 2, status: 'active' });
});

it('what is active converts, and may make way for an earlier version', async () => {
  const packet = {
    ...{
      id: newId(),
      attempt: 1,
      content_type: 'application/json',
      received_timestamp: new Date().toISOString(),
    },
    ...{ metadata: {}, properties: {}, attachments: [] },
  };
  const body = Buffer.from('{"sales":[{"number":"7","sum":2}]}');
  const outcome = await ask('convertArrival', { params: packet, body });
  expect(outcome).toMatchObject({ mapping: { id: 'till-json', version: 2 }, failure: null });
  expect(added).toMatchObject([{ receipt: { transaction_id: '7', total: 2 } }]);
  const activated = await ask('activateMapping', { params: { id: 'till-json' }, body: { version: 1 } });
  expect(activated).toMatchObject({ version: 1, status: 'active' });
});
