import {
  decodeUtf8,
  malformedBody,
  parseExactly,
  ServiceError,
  type Call,
  type Contract,
  type Input,
  type SerializedError,
} from '@receipts/kernel';
import type { MessageFacts } from '../reporting/spans';

/** A larger item is sent alone. */
export const messageLimits = { itemsMax: 64, bytesMax: 1024 * 1024 } as const;

/** The parts of a request except its body. */
export interface RequestArgs {
  readonly params?: Record<string, unknown> | undefined;
  readonly query?: Record<string, unknown> | undefined;
  readonly headers?: Record<string, unknown> | undefined;
  readonly contentType?: string;
}

export interface RequestHeader {
  /** The sender's number of the item, which the reply refers to. */
  readonly id: number;
  readonly type: string;
  readonly args: RequestArgs;
  readonly call: Call;
  readonly n: number;
}

export interface ReplyHeader {
  readonly id: number;
  readonly meta?: unknown;
  readonly replayed?: boolean;
  readonly error?: SerializedError;
  /**
   * For a reply in several parts: the id of the reply, because a request that is executed twice has two, the number of this
   * part, from 0, and the number of parts.
   */
  readonly reply?: string;
  readonly part?: number;
  readonly parts?: number;
  readonly n: number;
}

/** An item ready to send: its header as JSON text, and the unchanged bytes of its body. */
export interface Packed {
  readonly head: string;
  readonly body: Buffer;
}

export const noBytes = Buffer.alloc(0);
const lengthBytes = 4;

/** Format: `u32be length of the header JSON | header JSON (array of item headers) | item bodies in sequence` */
export function packEnvelope(items: readonly Packed[]): Buffer {
  let heads = '[';
  let bodyBytes = 0;
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as Packed;
    heads += i === 0 ? item.head : `,${item.head}`;
    bodyBytes += item.body.length;
  }
  heads += ']';
  const headBytes = Buffer.byteLength(heads);
  const envelope = Buffer.allocUnsafe(lengthBytes + headBytes + bodyBytes);
  envelope.writeUInt32BE(headBytes, 0);
  envelope.write(heads, lengthBytes, 'utf8');
  let offset = lengthBytes + headBytes;
  for (const { body } of items) offset += body.copy(envelope, offset);
  return envelope;
}

/** @throws Error if the bytes are not a valid envelope */
export function unpackEnvelope<H extends { readonly n: number }>(
  envelope: Buffer,
): { readonly header: H; readonly body: Buffer }[] {
  const headBytes = envelope.length >= lengthBytes ? envelope.readUInt32BE(0) : Infinity;
  let offset = lengthBytes + headBytes;
  if (offset > envelope.length) throw new Error('the envelope is shorter than its header states');
  const headers: unknown = JSON.parse(envelope.toString('utf8', lengthBytes, offset));
  if (!Array.isArray(headers)) throw new Error('the envelope has no list of headers');
  const items = headers.map((header: H) => {
    if (!Number.isInteger(header.n) || header.n < 0) throw new Error('an item has no length');
    const body = envelope.subarray(offset, offset + header.n);
    offset += header.n;
    return { header, body };
  });
  if (offset !== envelope.length) throw new Error('the bodies do not fill the envelope');
  return items;
}

/** A request with a serialized body, which is passed on without parsing or serializing it again. */
export interface RawRequest extends RequestArgs {
  readonly body?: Buffer;
}

/** @param input the members that the contract declares; a body that is not a buffer is serialized as JSON */
export function serializeRequest(input: object): RawRequest {
  const { body, ...args } = input as RequestArgs & { readonly body?: unknown };
  if (body === undefined) return args;
  return { ...args, body: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)) };
}

/** The header of a request in its envelope, as JSON. */
export function requestHead(id: number, contract: Contract, request: RawRequest, call: Call): string {
  const { body = noBytes, ...args } = request;
  return JSON.stringify({ id, type: contract.name, args, call, n: body.length } satisfies RequestHeader);
}

/** The attributes of a request for its span. */
export function requestFacts(type: string, call: Call): MessageFacts {
  const { id, requestId, retailer, traceparent } = call;
  return { type, id, conversationId: requestId, retailer, traceparent };
}

/**
 * The input of a request for its handler.
 * @throws ServiceError 400 if the body is not JSON. Senders validate bodies against the schema, so the owner does not.
 */
export function parseInput(contract: Contract, { type, args }: RequestHeader, body: Buffer): Input {
  const { params, query, headers, contentType } = args;
  const input = { params, query, headers, body: parseBody(contract, type, body) };
  return contentType === undefined ? input : { ...input, contentType };
}

function parseBody({ body: declared }: Contract, type: string, body: Buffer): unknown {
  if (declared === undefined) return undefined;
  if ('kind' in declared && declared.kind === 'bytes') return body;
  if (body.length === 0) return undefined;
  try {
    return parseExactly(decodeUtf8(body));
  } catch (cause) {
    throw new ServiceError(malformedBody, { internal: `the body of ${type} is not JSON`, cause });
  }
}
