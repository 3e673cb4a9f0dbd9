import { MongoError } from '../errors';
import { BsonType } from '../bson/types';
import { BsonValue, cstringEnd, getField } from '../bson/value';
import { validateDocument } from '../bson/validate';

const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;

const moreToCome = 2;
const exhaustAllowed = 1 << 16;

const invalidBson = 22;
const headerBytes = 16;
export const messageBytesMax = 48_000_000;

/** A request of the wire protocol. */
export interface Request {
  readonly requestId: number;
  /** True for the old OP_QUERY, which drivers use only for their first hello. */
  readonly legacy: boolean;
  readonly body: BsonValue;
  /** The document sequences of the message, by the name of the field they replace. */
  readonly sequences: ReadonlyMap<string, readonly BsonValue[]>;
  /** The client expects no reply (write concern w: 0). */
  readonly silent: boolean;
  /** The database of an OP_QUERY. */
  readonly legacyDatabase: string | undefined;
}

/** The bytes are not a valid message. The connection must be closed. */
export class ProtocolError extends Error {}

export function parseMessage(m: Buffer): Request {
  try {
    const opcode = m.readInt32LE(12);
    if (opcode === opMsg) return parseMsg(m);
    if (opcode === opQuery) return parseQuery(m);
    throw new ProtocolError(`unsupported opcode ${opcode}`);
  } catch (error) {
    // A correct client may send a document that is nested too deeply, or of a type that this server does not support.
    // All other errors mean an invalid message.
    if (error instanceof MongoError && error.code !== invalidBson) throw error;
    if (error instanceof MongoError || error instanceof RangeError) throw new ProtocolError(error.message);
    throw error;
  }
}

function parseMsg(m: Buffer): Request {
  const flags = m.readUInt32LE(headerBytes);
  if ((flags & ~(moreToCome | exhaustAllowed)) !== 0) throw new ProtocolError(`unknown flags ${flags}`);
  const sequences = new Map<string, readonly BsonValue[]>();
  let body: BsonValue | undefined;
  let p = headerBytes + 4;
  while (p < m.length) {
    const kind = m[p++]!;
    if (kind === 0) {
      if (body !== undefined) throw new ProtocolError('two bodies in one message');
      const stop = validateDocument(m, p, m.length);
      body = new BsonValue(BsonType.object, m, p, stop);
      p = stop;
    } else if (kind === 1) {
      p = parseSequence(m, p, sequences);
    } else {
      throw new ProtocolError(`unknown section kind ${kind}`);
    }
  }
  if (body === undefined) throw new ProtocolError('message without a body');
  return {
    requestId: m.readInt32LE(4),
    legacy: false,
    body,
    sequences,
    silent: (flags & moreToCome) !== 0,
    legacyDatabase: undefined,
  };
}

function parseSequence(m: Buffer, start: number, into: Map<string, readonly BsonValue[]>): number {
  const stop = start + m.readInt32LE(start);
  if (stop > m.length || stop < start + 5) throw new ProtocolError('wrong length of a document sequence');
  const nameEnd = cstringEnd(m, start + 4);
  if (nameEnd >= stop) throw new ProtocolError('document sequence without a name');
  const name = m.toString('utf8', start + 4, nameEnd);
  if (into.has(name)) throw new ProtocolError(`two document sequences for ${name}`);
  const docs: BsonValue[] = [];
  let p = nameEnd + 1;
  while (p < stop) {
    const next = validateDocument(m, p, stop);
    docs.push(new BsonValue(BsonType.object, m, p, next));
    p = next;
  }
  into.set(name, docs);
  return stop;
}

function parseQuery(m: Buffer): Request {
  const nameEnd = cstringEnd(m, headerBytes + 4);
  const namespace = m.toString('utf8', headerBytes + 4, nameEnd);
  const p = nameEnd + 9;
  const stop = validateDocument(m, p, m.length);
  const outer = new BsonValue(BsonType.object, m, p, stop);
  const inner = getField(outer, Buffer.from('$query'));
  return {
    requestId: m.readInt32LE(4),
    legacy: true,
    body: inner?.type === BsonType.object ? inner : outer,
    sequences: new Map(),
    silent: false,
    legacyDatabase: namespace.split('.')[0]!,
  };
}

let lastId = 0;

/** The bytes before the document of a reply message. */
export function replyHead(request: Pick<Request, 'requestId' | 'legacy'>, docBytes: number): Buffer {
  const headBytes = request.legacy ? headerBytes + 20 : headerBytes + 5;
  const out = Buffer.alloc(headBytes);
  out.writeInt32LE(headBytes + docBytes, 0);
  lastId = (lastId + 1) & 0x7fffffff;
  out.writeInt32LE(lastId, 4);
  out.writeInt32LE(request.requestId, 8);
  out.writeInt32LE(request.legacy ? opReply : opMsg, 12);
  if (request.legacy) out.writeInt32LE(1, headerBytes + 16);
  return out;
}

/** Splits a byte stream into messages. */
export class Framer {
  private chunks: Buffer[] = [];
  private size = 0;
  private wanted = 0;

  *push(chunk: Buffer): Generator<Buffer, void, void> {
    this.chunks.push(chunk);
    this.size += chunk.length;
    for (;;) {
      if (this.wanted === 0) {
        if (this.size < 4) return;
        if (this.chunks[0]!.length < 4) this.chunks = [Buffer.concat(this.chunks)];
        this.wanted = this.chunks[0]!.readInt32LE(0);
        if (this.wanted < headerBytes + 5 || this.wanted > messageBytesMax) {
          throw new ProtocolError(`wrong message length ${this.wanted}`);
        }
      }
      if (this.size < this.wanted) return;
      const all = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
      const message = all.subarray(0, this.wanted);
      this.chunks = all.length > this.wanted ? [all.subarray(this.wanted)] : [];
      this.size -= this.wanted;
      this.wanted = 0;
      yield message;
    }
  }
}
