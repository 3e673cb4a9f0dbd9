import { MongoError, badValue } from '../errors';
import { BsonType } from '../bson/types';
import { BsonValue } from '../bson/value';
import { encode } from '../bson/write';
import type { Command } from './command';
import type { Engine } from './engine';
import { scramMechanism } from './scram';

/** The commands that are allowed before authentication. */
const openToAll = new Set(['hello', 'ismaster', 'ping', 'saslStart', 'saslContinue']);

export function checkAuthenticated(command: Command, engine: Engine): void {
  if (engine.scram === undefined || command.session.authenticated || openToAll.has(command.name)) return;
  throw new MongoError(13, `Command ${command.name} requires authentication`);
}

const conversationId = 1;

export function saslStart(command: Command, engine: Engine): Buffer {
  const mechanism = command.string('mechanism') ?? '';
  if (engine.scram === undefined || mechanism !== scramMechanism)
    throw new MongoError(334, `Received authentication for mechanism ${mechanism} which is not enabled`);
  command.session.authenticated = false;
  const { reply, finish } = engine.scram.begin(payloadOf(command));
  command.session.finish = finish;
  return encode({ conversationId: conversationId, done: false, payload: binary(reply), ok: 1 });
}

/** After the final message, a client may send an empty message, which is answered with `done` again. */
export function saslContinue(command: Command): Buffer {
  const { session } = command;
  const { finish } = session;
  session.finish = undefined;
  let last = '';
  if (finish !== undefined) {
    last = finish(payloadOf(command));
    session.authenticated = true;
  } else if (!session.authenticated || payloadOf(command) !== '') {
    throw new MongoError(18, 'Authentication failed.');
  }
  return encode({ conversationId: conversationId, done: true, payload: binary(last), ok: 1 });
}

function payloadOf(command: Command): string {
  const v = command.required('payload');
  if (v.type !== BsonType.binary) throw badValue('the payload must be binary data');
  return v.bytes.toString('utf8', v.start + 5, v.end);
}

function binary(text: string): BsonValue {
  const b = Buffer.alloc(5 + Buffer.byteLength(text));
  b.writeInt32LE(b.length - 5);
  b.write(text, 5);
  return new BsonValue(BsonType.binary, b, 0, b.length);
}
