import { MongoError } from '../errors';
import { T } from '../bson/types';
import { Val, cstringEnd, getField } from '../bson/value';
import { validateDocument } from '../bson/validate';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

const CHECKSUM_PRESENT = 1;
const MORE_TO_COME = 2;
const EXHAUST_ALLOWED = 1 << 16;
const KNOWN_REQUIRED_FLAGS = CHECKSUM_PRESENT | MORE_TO_COME;

const TOO_DEEP = 15;
const HEADER_BYTES = 16;
export const MESSAGE_BYTES_MAX = 48_000_000;

/** A request of the wire protocol. */
export interface Request {
  readonly requestId: number;
  /** True for the old OP_QUERY, which drivers use only for their first hello. */
  readonly legacy: boolean;
  readonly body: Val;
  /** The document sequences of the message, by the name of the field they replace. */
  readonly sequences: ReadonlyMap<string, readonly Val[]>;
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
    if (opcode === OP_MSG) return parseMsg(m);
    if (opcode === OP_QUERY) return parseQuery(m);
    throw new ProtocolError(`unsupported opcode ${opcode}`);
  } catch (e) {
    // A correct client may send a document that is nested too deeply, so that error gets a reply. All other errors mean
    // an invalid message.
    if (e instanceof MongoError && e.code === TOO_DEEP) throw e;
    if (e instanceof MongoError || e instanceof RangeError) throw new ProtocolError(e.message);
    throw e;
  }
}

function parseMsg(m: Buffer): Request {
  const flags = m.readUInt32LE(HEADER_BYTES);
  if ((flags & 0xffff & ~KNOWN_REQUIRED_FLAGS) !== 0) throw new ProtocolError(`unknown flags ${flags}`);
  if ((flags & ~(0xffff | EXHAUST_ALLOWED)) !== 0) throw new ProtocolError(`unknown flags ${flags}`);
  const end = m.length - (flags & CHECKSUM_PRESENT ? 4 : 0);
  const sequences = new Map<string, readonly Val[]>();
  let body: Val | undefined;
  let p = HEADER_BYTES + 4;
  while (p < end) {
    const kind = m[p++]!;
    if (kind === 0) {
      if (body !== undefined) throw new ProtocolError('two bodies in one message');
      const stop = validateDocument(m, p, end);
      body = new Val(T.OBJECT, m, p, stop);
      p = stop;
    } else if (kind === 1) {
      p = parseSequence(m, p, end, sequences);
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
    silent: (flags & MORE_TO_COME) !== 0,
    legacyDatabase: undefined,
  };
}

function parseSequence(m: Buffer, start: number, end: number, into: Map<string, readonly Val[]>): number {
  const stop = start + m.readInt32LE(start);
  if (stop > end || stop < start + 5) throw new ProtocolError('wrong length of a document sequence');
  const nameEnd = cstringEnd(m, start + 4);
  if (nameEnd >= stop) throw new ProtocolError('document sequence without a name');
  const name = m.toString('utf8', start + 4, nameEnd);
  if (into.has(name)) throw new ProtocolError(`two document sequences for ${name}`);
  const docs: Val[] = [];
  let p = nameEnd + 1;
  while (p < stop) {
    const next = validateDocument(m, p, stop);
    docs.push(new Val(T.OBJECT, m, p, next));
    p = next;
  }
  into.set(name, docs);
  return stop;
}

function parseQuery(m: Buffer): Request {
  const nameEnd = cstringEnd(m, HEADER_BYTES + 4);
  const namespace = m.toString('utf8', HEADER_BYTES + 4, nameEnd);
  const p = nameEnd + 9;
  const stop = validateDocument(m, p, m.length);
  const outer = new Val(T.OBJECT, m, p, stop);
  const inner = getField(outer, Buffer.from('$query'));
  return {
    requestId: m.readInt32LE(4),
    legacy: true,
    body: inner?.type === T.OBJECT ? inner : outer,
    sequences: new Map(),
    silent: false,
    legacyDatabase: namespace.split('.')[0]!,
  };
}

let lastId = 0;

/** The reply message with a document. */
export function replyTo(request: Pick<Request, 'requestId' | 'legacy'>, doc: Buffer): Buffer {
  const headBytes = request.legacy ? HEADER_BYTES + 20 : HEADER_BYTES + 5;
  const out = Buffer.allocUnsafe(headBytes + doc.length);
  out.fill(0, 0, headBytes);
  out.writeInt32LE(out.length, 0);
  lastId = (lastId + 1) & 0x7fffffff;
  out.writeInt32LE(lastId, 4);
  out.writeInt32LE(request.requestId, 8);
  out.writeInt32LE(request.legacy ? OP_REPLY : OP_MSG, 12);
  if (request.legacy) out.writeInt32LE(1, HEADER_BYTES + 16);
  doc.copy(out, headBytes);
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
        if (this.wanted < HEADER_BYTES + 5 || this.wanted > MESSAGE_BYTES_MAX) {
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
