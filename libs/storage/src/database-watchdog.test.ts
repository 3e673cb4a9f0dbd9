import type { MongoClient } from 'mongodb';
import { type Mongo, startMongo, testDatabase, until } from '@receipts/testing';
import { connectDatabase, type Database } from './connect-database';
import { DatabaseWatchdog } from './database-watchdog';

interface MonitoringConnection {
  readonly closed: boolean;
  readonly socket: { destroy(): void };
  command: () => Promise<unknown>;
}

/** The connection by which the driver monitors its only server. */
function monitoringConnection(client: MongoClient): MonitoringConnection | undefined {
  const { topology } = client as unknown as {
    topology: { s: { servers: Map<string, { monitor: { connection: MonitoringConnection | null } }> } };
  };
  const [server] = topology.s.servers.values();
  const connection = server?.monitor.connection;
  return connection && !connection.closed ? connection : undefined;
}

const lines: string[] = [];
const note = (msg: string) => void lines.push(msg);
const log = { debug: note, info: note, warn: note, error: note };

let mongo: Mongo;
let database: Database;

beforeAll(async () => {
  mongo = await startMongo({ isPrivate: true });
}, 60_000);
afterAll(() => mongo.stop());
beforeEach(async () => {
  lines.length = 0;
  // By default the driver checks the server every 10 s only.
  const uri = `${mongo.uri}&heartbeatFrequencyMS=500`;
  database = await connectDatabase({ uri, database: testDatabase(), service: 'test', log });
});
afterEach(() => database.close());

const answers = () =>
  database.ping().then(
    () => true,
    () => false,
  );

test('the monitor continues when its socket is closed right before a write', async () => {
  const { client } = database.db;
  let isCut = false;
  let isBack = false;
  client.on('serverHeartbeatStarted', () => {
    if (isCut) return;
    const connection = monitoringConnection(client);
    connection?.socket.destroy();
    isCut = connection !== undefined;
  });
  client.on('serverHeartbeatSucceeded', () => void (isBack ||= isCut));
  await until('the monitor has looked again', () => isBack);
});

test('a client with a hanging monitor reaches the database again after a restart', async () => {
  const { client } = database.db;
  const things = database.db.collection<{ _id: number }>('things');
  await until('it is monitored', () => monitoringConnection(client) !== undefined);
  const connection = monitoringConnection(client) as MonitoringConnection;
  let isHanging = false;
  connection.command = () => {
    isHanging = true;
    return new Promise(() => undefined);
  };
  await until('the monitor hangs', () => isHanging);
  const inFlight = Array.from({ length: 20 }, (_, _id) => things.insertOne({ _id }).catch(() => undefined));
  await mongo.kill();
  await Promise.all(inFlight);
  await mongo.start();
  await until('the database is reached', answers);
  // Collections that were opened before the renewal still work.
  await things.insertOne({ _id: 100 });
  expect(lines).toContain('the database responds to other clients but not to this process: reconnecting');
}, 90_000);

test('a client that knows its server gets more time, as the server may only be busy', async () => {
  const asked = jest.spyOn(database.db, 'command').mockRejectedValue(new Error('no answer in time'));
  try {
    await until('the connections are renewed', () => lines.some((line) => line.includes('reconnecting')));
    expect(asked.mock.calls.length).toBeGreaterThanOrEqual(12);
  } finally {
    asked.mockRestore();
  }
  await until('the database is reached', answers);
}, 90_000);

test('waits for a database that no client reaches', async () => {
  await mongo.kill();
  await until('it is missed', async () => !(await answers()));
  await mongo.start();
  await until('the database is reached', answers);
}, 90_000);

test('gives up after five failed renewals', async () => {
  let renewed = 0;
  const client = {
    on: () => {},
    off: () => {},
    close: () => Promise.resolve(),
    connect: () => Promise.resolve(void renewed++),
  } as unknown as MongoClient;
  let reason: Error | undefined;
  const watchdog = new DatabaseWatchdog({
    client,
    ping: () => Promise.reject(new Error('no answer')),
    probe: () => Promise.resolve(),
    log,
    giveUp: (why) => void (reason ??= why),
    everyMs: 1,
  });
  watchdog.start();
  await until('it is given up', () => reason !== undefined);
  await watchdog.stop();
  expect(renewed).toBe(5);
  expect(reason?.message).toContain('responds to other clients');
});
