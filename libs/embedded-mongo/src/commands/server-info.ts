import { hostname } from 'node:os';
import { encode } from '../bson/write';
import { DOCUMENT_BYTES_MAX } from '../store/documents';
import { MESSAGE_BYTES_MAX } from '../wire/message';
import { WRITE_BATCH_MAX, type Command } from './command';
import type { Engine } from './engine';
import { MECHANISM } from './scram';

/** The wire version of MongoDB 7.0. Later versions announce commands that this server lacks, such as bulkWrite. */
const WIRE_VERSION = 21;
const VERSION = '7.0.0';
const SESSION_MINUTES = 30;

export const HELLO_FIELDS = new Set([
  'hello',
  'isMaster',
  'ismaster',
  'client',
  'compression',
  'helloOk',
  'saslSupportedMechs',
  'speculativeAuthenticate',
  'hostInfo',
  'topologyVersion',
  'maxAwaitTimeMS',
  'loadBalanced',
  'backpressure',
]);

/**
 * Describes a standalone server. Without setName drivers send no transaction numbers; without topologyVersion they do
 * not wait for topology changes.
 */
export function hello(c: Command, engine: Engine): Buffer {
  const asked = c.string('saslSupportedMechs');
  const known = asked !== undefined && engine.scram?.has(asked.slice(asked.indexOf('.') + 1)) === true;
  return encode({
    helloOk: true,
    ismaster: true,
    isWritablePrimary: true,
    maxBsonObjectSize: DOCUMENT_BYTES_MAX,
    maxMessageSizeBytes: MESSAGE_BYTES_MAX,
    maxWriteBatchSize: WRITE_BATCH_MAX,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: SESSION_MINUTES,
    connectionId: c.session.connectionId,
    minWireVersion: 0,
    maxWireVersion: WIRE_VERSION,
    readOnly: false,
    ...(known && { saslSupportedMechs: [MECHANISM] }),
    ok: 1,
  });
}

export const buildInfo = (): Buffer =>
  encode({
    version: VERSION,
    gitVersion: 'embedded-mongo',
    modules: [],
    versionArray: [7, 0, 0, 0],
    storageEngines: ['lmdb'],
    bits: 64,
    debug: false,
    maxBsonObjectSize: DOCUMENT_BYTES_MAX,
    ok: 1,
  });

export const connectionStatus = (): Buffer =>
  encode({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] }, ok: 1 });

export const serverStatus = (_: Command, engine: Engine): Buffer =>
  encode({
    host: hostname(),
    version: VERSION,
    process: 'embedded-mongo',
    pid: BigInt(process.pid),
    uptime: (engine.now() - engine.startedAt) / 1000,
    localTime: new Date(),
    connections: { current: engine.connections() },
    mem: { bits: 64, resident: Math.round(process.memoryUsage.rss() / 2 ** 20) },
    metrics: {
      commands: Object.fromEntries(
        [...engine.asked].map(([name, a]) => [name, { failed: BigInt(a.failed), total: BigInt(a.total) }]),
      ),
      cursor: { open: { total: engine.cursors.size } },
    },
    storageEngine: {
      name: 'lmdb',
      persistent: true,
      // No field passes through an array, so there is a single key.
      log: {
        writes: BigInt(engine.storage.log.written.records),
        bytes: BigInt(engine.storage.log.written.bytes),
      },
      checkpoints: BigInt(engine.storage.checkpoints),
    },
    ok: 1,
  });

export const OK = encode({ ok: 1 });
