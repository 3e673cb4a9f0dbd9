import { MongoError, badValue } from '../errors';
import { T } from '../bson/types';
import { Val } from '../bson/value';
import { encode } from '../bson/write';
import type { Command } from './command';
import type { Engine } from './engine';
import { MECHANISM } from './scram';

/** The commands that are allowed before authentication. */
const OPEN_TO_ALL = new Set(['hello', 'isMaster', 'ismaster', 'ping', 'saslStart', 'saslContinue']);

export function checkAuthenticated(c: Command, engine: Engine): void {
  if (engine.scram === undefined || c.session.authenticated || OPEN_TO_ALL.has(c.name)) return;
  throw new MongoError(13, `Command ${c.name} requires authentication`);
}

const CONVERSATION_ID = 1;

export const SASL_START_FIELDS = new Set(['saslStart', 'mechanism', 'payload', 'options', 'autoAuthorize']);

export function saslStart(c: Command, engine: Engine): Buffer {
  const mechanism = c.string('mechanism') ?? '';
  if (engine.scram === undefined || mechanism !== MECHANISM)
    throw new MongoError(334, `Received authentication for mechanism ${mechanism} which is not enabled`);
  c.session.authenticated = false;
  const { reply, finish } = engine.scram.begin(payloadOf(c));
  c.session.finish = finish;
  return encode({ conversationId: CONVERSATION_ID, done: false, payload: binary(reply), ok: 1 });
}

export const SASL_CONTINUE_FIELDS = new Set(['saslContinue', 'conversationId', 'payload']);

/** After the final message a client may send an empty one, which is answered with `done` again. */
export function saslContinue(c: Command): Buffer {
  const { session } = c;
  const { finish } = session;
  session.finish = undefined;
  let last = '';
  if (finish !== undefined) {
    last = finish(payloadOf(c));
    session.authenticated = true;
  } else if (!session.authenticated || payloadOf(c) !== '') {
    throw new MongoError(18, 'Authentication failed.');
  }
  return encode({ conversationId: CONVERSATION_ID, done: true, payload: binary(last), ok: 1 });
}

function payloadOf(c: Command): string {
  const v = c.required('payload');
  if (v.type !== T.BINARY) throw badValue('the payload must be binary data');
  return v.bytes.toString('utf8', v.start + 5, v.end);
}

function binary(text: string): Val {
  const b = Buffer.alloc(5 + Buffer.byteLength(text));
  b.writeInt32LE(b.length - 5);
  b.write(text, 5);
  return new Val(T.BINARY, b, 0, b.length);
}
