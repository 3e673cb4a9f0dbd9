import { encode } from '../bson/write';
import { documentBytesMax } from '../store/documents';
import { messageBytesMax } from '../wire/message';
import { writeBatchMax, type Command } from './command';
import type { Engine } from './engine';
import { scramMechanism } from './scram';

/** The wire version of MongoDB 7.0. Later versions announce commands that this server lacks, such as bulkWrite. */
const wireVersion = 21;
const sessionMinutes = 30;

/**
 * Describes a standalone server. Without setName drivers send no transaction numbers; without topologyVersion they do
 * not wait for topology changes.
 */
export function hello(command: Command, engine: Engine): Buffer {
  const asked = command.string('saslSupportedMechs');
  const known = asked !== undefined && engine.scram?.has(asked.slice(asked.indexOf('.') + 1)) === true;
  return encode({
    helloOk: true,
    ismaster: true,
    isWritablePrimary: true,
    maxBsonObjectSize: documentBytesMax,
    maxMessageSizeBytes: messageBytesMax,
    maxWriteBatchSize: writeBatchMax,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: sessionMinutes,
    connectionId: command.session.connectionId,
    minWireVersion: 0,
    maxWireVersion: wireVersion,
    readOnly: false,
    ...(known && { saslSupportedMechs: [scramMechanism] }),
    ok: 1,
  });
}

export const buildInfo = (): Buffer =>
  encode({
    version: '7.0.0',
    gitVersion: 'embedded-mongo',
    modules: [],
    versionArray: [7, 0, 0, 0],
    storageEngines: ['lmdb'],
    bits: 64,
    debug: false,
    maxBsonObjectSize: documentBytesMax,
    ok: 1,
  });

export const connectionStatus = (): Buffer =>
  encode({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] }, ok: 1 });

export const okReply = encode({ ok: 1 });
