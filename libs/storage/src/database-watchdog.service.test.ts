import type { MongoClient } from 'mongodb';
import { type Mongo, silentLog, startMongo, testDatabase, until } from '@receipts/testing';
import { connectDatabase, type Database } from './connect-database';
import { watchDatabase } from './database-watchdog';

interface MonitoringConnection {
  readonly closed: boolean;
  readonly socket: { destroy(): void };
  command: () => Promise<unknown>;
}

/** The connection that the driver uses to monitor its only server. */
function monitoringConnection(client: MongoClient): MonitoringConnection | undefined {
  const { topology } = client as unknown as {
    topology: { s: { servers: Map<string, { monitor: { connection: MonitoringConnection | null } }> } };
  };
  const [server] = topology.s.servers.values();
  const connection = server?.monitor.connection;
  return connection && !connection.closed ? connection : undefined;
}

const reasons: Error[] = [];
let mongo: Mongo;
let database: Database;

beforeAll(async () => {
  mongo = await startMongo({ isPrivate: true });
});
afterAll(() => mongo.stop());
beforeEach(async () => {
  reasons.length = 0;
  // By default, the driver checks the server only every 10 s.
  const uri = `${mongo.uri}&heartbeatFrequencyMS=500`;
  database = await connectDatabase({
    uri,
    database: testDatabase(),
    service: 'test',
    log: silentLog,
    giveUp: (reason) => void reasons.push(reason),
  });
});
afterEach(() => database.close());

const answers = () =>
  database.ping().then(
    () => true,
    () => false,
  );

test('keeps the monitor running when its socket is closed right before a write', async () => {
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
  await until('the monitor has checked again', () => isBack);
});

test('ends a process whose client hangs after a restart of the database', async () => {
  const { client } = database.db;
  await until('it is monitored', () => monitoringConnection(client) !== undefined);
  const connection = monitoringConnection(client) as MonitoringConnection;
  let isHanging = false;
  connection.command = () => {
    isHanging = true;
    return new Promise(() => undefined);
  };
  await until('the monitor hangs', () => isHanging);
  const things = database.db.collection<{ _id: number }>('things');
  const inFlight = Array.from({ length: 20 }, (_, _id) => things.insertOne({ _id }).catch(() => undefined));
  await mongo.kill();
  await Promise.all(inFlight);
  await mongo.start();
  await until('the process has ended', () => reasons.length > 0);
  expect(reasons[0]?.message).toBe('the database responds to other clients but not to this process');
});

test('waits for a database that no client can reach', async () => {
  await mongo.kill();
  await until('the database is unreachable', async () => !(await answers()));
  await mongo.start();
  await until('the database is reached', answers);
});

test('gives up after 15 failures in a row, but not while a new client also fails', async () => {
  const pings = [...Array<boolean>(14).fill(false), true];
  let pinged = 0;
  let reason: Error | undefined;
  const failing = () => Promise.reject(new Error('no answer'));
  const watchdog = watchDatabase({
    ping: () => (pings[pinged++] === true ? Promise.resolve() : failing()),
    // After the success, there are 14 failures of the client alone, one of both clients, and 15 of the client alone.
    probe: () => (pinged === 30 ? failing() : Promise.resolve()),
    log: silentLog,
    giveUp: (why) => void (reason ??= why),
  });
  for (let check = 1; check < 45; check++) await watchdog.run();
  expect(reason).toBeUndefined();
  await watchdog.run();
  expect(reason?.message).toContain('responds to other clients');
});
