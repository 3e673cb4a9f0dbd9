import path from 'node:path';
import { ingestContracts } from '@receipts/contracts';
import { newId, type Call } from '@receipts/kernel';
import { FakeBroker } from '@receipts/messaging/testing';
import { connectDatabase, type Database } from '@receipts/storage';
import { putDocuments, startMongo, testDatabase, until, type Mongo, silentLog } from '@receipts/testing';
import type { Service } from '@receipts/service';
import { startService } from './service';

const waiting = '6b02fb7a4827821ba926f4d7';
const converted = '6b02fa7181871b74d24934a9';
const failed = '6b02fa7181871b74d24db7c0';

let mongo: Mongo;
let database: Database;
let service: Service;
const broker = new FakeBroker();
/** Conversion takes orders, and is away for those who wait for it. */
broker.answers.set('transform.convert-packet', () => undefined);
/** Packets that were given to conversion. */
const orders = () =>
  broker.received.flatMap(({ kind, request }) =>
    kind === 'sent' ? [(request.params as { id: string }).id] : [],
  );

beforeAll(async () => {
  mongo = await startMongo();
  const databaseName = testDatabase('ingest');
  database = await connectDatabase({
    uri: mongo.uri,
    database: databaseName,
    service: 'ingest',
    log: silentLog,
  });
  await putDocuments(database.db, path.join(__dirname, '../fixtures/documents-of-0.1.0.json'));
  service = await startService({
    ...{ broker, database, log: silentLog, basePath: '', idSecret: 'a secret of sixteen or more' },
    sendAgainAfterMs: 60_000,
  });
}, 60_000);
afterAll(async () => {
  await service.stop();
  await database.close();
  await mongo.stop();
});

async function ask(name: keyof typeof ingestContracts, input: object) {
  const call: Call = {
    ...{ id: newId(), requestId: newId(), retailer: 'demo', at: Date.now(), deadline: Date.now() + 60_000 },
    principal: { kind: 'client', id: 'bearer:1' },
  };
  const whole = { query: {}, params: {}, headers: {}, body: undefined, ...input };
  return ((await broker.call(ingestContracts[name], whole as never, call)) as { body: any }).body;
}

it('packets are what had become of them, with the bytes that came', async () => {
  expect(await ask('getPacket', { params: { id: converted } })).toMatchObject({
    ...{ id: converted, status: 'converted', receipt_ids: [converted], content_type: 'text/plain' },
    mapping: { id: 'printer-text', version: 1 },
  });
  expect(await ask('getPacket', { params: { id: failed } })).toMatchObject({
    ...{ id: failed, status: 'failed', reason: 'mapping_failed' },
    errors: [{ code: 'no_receipt' }],
  });
  expect(String(await ask('getPacketRaw', { params: { id: failed } }))).toBe('{"not":"known"}');
  const { packets } = await ask('listPackets', { query: { count: 10 } });
  expect(packets).toHaveLength(4);
});

it('an attachment is what it was', async () => {
  const body = await ask('getAttachment', { params: { id: '465a8889b7d4714504c8fa56' } });
  expect(String(body)).toBe('hello');
});

it('a packet that waited is given to conversion', async () => {
  await until('it is ordered', () => orders().includes(waiting));
  expect(new Set(orders())).toEqual(new Set([waiting]));
});
