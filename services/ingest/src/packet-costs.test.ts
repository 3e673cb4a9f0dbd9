import type { CommandStartedEvent } from 'mongodb';
import { ingestContracts, type ConversionOutcome, type convertArrival } from '@receipts/contracts';
import { idAllotter, newId, type Call, type Input } from '@receipts/kernel';
import { FakeBroker, type Received } from '@receipts/messaging/testing';
import { connectDatabase, type Database } from '@receipts/storage';
import { callOf as clientCall, startMongo, testDatabase, type Mongo, silentLog } from '@receipts/testing';
import type { Service } from '@receipts/host/open-service';
import { startService } from './service';

/**
 * Measures the costs of a packet as counts, which do not depend on the machine, so that later changes do not undo
 * improvements. Periodic work, such as moving watermarks, is not counted.
 */
const idSecret = 'a secret of sixteen or more';
const allotter = idAllotter(idSecret);
const waitMs = 60_000;
const packetsTogether = 120;

let mongo: Mongo;
let database: Database;
let service: Service;

/** The names of the commands that wrote packets, or read them one by one. */
let commands: string[] = [];

const outcomeOf = (id: string): ConversionOutcome => ({
  receiptIds: [id],
  mapping: { id: 'm', version: 1 },
  failure: null,
});

const broker = new FakeBroker();
broker.answer = (_contract, { params }) => {
  const outcome = outcomeOf((params as Input<typeof convertArrival>['params']).id);
  return { meta: undefined, body: Buffer.from(JSON.stringify(outcome)) };
};
const publish = jest.spyOn(broker, 'publish');
const countOf = (kind: Received['kind']) => broker.received.filter((one) => one.kind === kind).length;
/** The numbers of awaited conversions, of requested conversions, and of event publications. */
const messages = () => [countOf('asked'), countOf('sent'), publish.mock.calls.length];

/** Ignores the reads that look for unfinished work, because they are periodic. */
function note({ commandName, command }: CommandStartedEvent): void {
  if (command[commandName] !== 'packets') return;
  const isSweep = commandName === 'find' && command['filter']?._id === undefined && !command['filter']?.keys;
  if (!isSweep && commandName !== 'createIndexes' && commandName !== 'listIndexes')
    commands.push(commandName);
}

beforeAll(async () => {
  mongo = await startMongo();
  const uri = `${mongo.uri}${mongo.uri.includes('?') ? '&' : '?'}monitorCommands=true`;
  database = await connectDatabase({
    uri,
    database: testDatabase('ingest'),
    service: 'ingest',
    log: silentLog,
  });
  database.db.client.on('commandStarted', note);
});
afterAll(async () => {
  await database?.close();
  await mongo?.stop();
});
beforeEach(async () => {
  const conversionRetryMs = 86_400_000;
  service = await startService({
    broker,
    database,
    log: silentLog,
    idSecret,
    basePath: '',
    conversionRetryMs,
  });
  // The first write opens a sequence.
  await post();
  await allTold(2);
  commands = [];
  broker.published.length = broker.received.length = 0;
  publish.mockClear();
});

const callOf = (more: Partial<Call> = {}) => clientCall('acme', { id: allotter.allot('acme'), ...more });

const post = (more: Partial<Call> = {}) =>
  broker.call(
    ingestContracts.acceptPacket,
    {
      query: { free: [] },
      headers: { free: [] },
      contentType: 'text/plain',
      body: Buffer.from('Sales: 1'),
    } as never,
    callOf(more),
  );

async function allTold(count: number): Promise<void> {
  for (const endMs = Date.now() + waitMs; broker.published.length < count;) {
    if (Date.now() > endMs) throw new Error(`${broker.published.length} of ${count} events were published`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('costs one write, one request and one publication for a single packet, and nothing afterwards', async () => {
  await post();
  expect(commands).toEqual(['insert']);
  await allTold(2);
  await service.stop();
  expect(commands).toEqual(['insert']);
  expect(messages()).toEqual([1, 0, 1]);
});

test(`shares writes and publications among ${packetsTogether} concurrent packets`, async () => {
  await Promise.all(Array.from({ length: packetsTogether }, () => post()));
  await allTold(2 * packetsTogether);
  await service.stop();
  expect(new Set(commands)).toEqual(new Set(['insert']));
  expect(commands.length).toBeLessThanOrEqual(4);
  expect(publish.mock.calls.length).toBeLessThanOrEqual(4);
  expect(messages().slice(0, 2)).toEqual([packetsTogether, 0]);
});

test('costs one write before the reply, one for the outcome, and no second document, for a packet with a key', async () => {
  await post({ idempotencyKey: newId() });
  expect(commands).toEqual(['insert']);
  await allTold(2);
  await service.stop();
  expect(commands).toEqual(['insert', 'update']);
  expect(messages()).toEqual([1, 0, 1]);
  expect(await database.db.collection('idempotency').countDocuments({})).toBe(0);
});

test(`shares writes among ${packetsTogether} concurrent packets with a key`, async () => {
  await Promise.all(Array.from({ length: packetsTogether }, () => post({ idempotencyKey: newId() })));
  await allTold(2 * packetsTogether);
  await service.stop();
  expect(new Set(commands)).toEqual(new Set(['insert', 'update']));
  expect(commands.length).toBeLessThanOrEqual(8);
  expect(messages().slice(0, 2)).toEqual([packetsTogether, 0]);
});
