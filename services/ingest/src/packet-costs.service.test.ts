import type { CommandStartedEvent } from 'mongodb';
import { convertPacket, ingestContracts } from '@receipts/contracts';
import { idAllotter, newId, type Call, type Contract, type RequestInput } from '@receipts/kernel';
import { FakeBroker, type Received } from '@receipts/messaging/testing';
import { connectDatabase, type Database } from '@receipts/storage';
import { callOf as clientCall, startMongo, testDatabase, type Mongo, silentLog } from '@receipts/testing';
import type { Service } from '@receipts/host/open-service';
import { startService } from './service';

/**
 * Measures the costs of a packet as counts, which do not depend on the machine, so that later changes do not undo
 * improvements. Periodic work is not counted.
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

/** Reports the success of each packet as soon as its conversion is requested. */
class ConvertingBroker extends FakeBroker {
  override async send<C extends Contract>(contract: C, input: RequestInput<C>, call: Call): Promise<void> {
    const sent = super.send(contract, input, call);
    // Others are sent while this one is handled.
    const { id } = this.last.request.params as { id: string };
    await sent;
    if (contract.name !== convertPacket.name) return;
    const body = { id, attempt: 1, receiptIds: [id], mapping: { id: 'm', version: 1 }, failure: null };
    await super.send(ingestContracts.finishPacket, { body }, clientCall('acme'));
  }
}

const broker = new ConvertingBroker();
broker.answers.set('transform.convert-packet', () => undefined);
const publish = jest.spyOn(broker, 'publish');
const countOf = (kind: Received['kind']) => broker.received.filter((one) => one.kind === kind).length;
/** The numbers of awaited requests, of commands, and of event publications. */
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
  broker.published.length = 0;
  // The service starts with a sweep.
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

test.each([
  ['', {}],
  [', even with a key', { idempotencyKey: newId() }],
])('costs a write for a packet and another for its outcome, and no second document%s', async (_, call) => {
  await post(call);
  await allTold(2);
  await service.stop();
  expect(commands).toEqual(['insert', 'find', 'update']);
  // The conversion is requested, its outcome is reported, and both events are published.
  expect(messages()).toEqual([0, 2, 2]);
  expect(await database.db.collection('idempotency').countDocuments({})).toBe(0);
});

test.each([
  ['', () => ({})],
  [' with a key', () => ({ idempotencyKey: newId() })],
])(`shares writes and publications among ${packetsTogether} concurrent packets%s`, async (_, callOfEach) => {
  await Promise.all(Array.from({ length: packetsTogether }, () => post(callOfEach())));
  await allTold(2 * packetsTogether);
  await service.stop();
  expect(new Set(commands)).toEqual(new Set(['insert', 'find', 'update']));
  expect(commands.length).toBeLessThanOrEqual(12);
  expect(publish.mock.calls.length).toBeLessThanOrEqual(8);
  expect(messages().slice(0, 2)).toEqual([0, 2 * packetsTogether]);
});
