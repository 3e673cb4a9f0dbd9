import {
  formType,
  ServiceError,
  type BodyLimit,
  type BytesBody,
  type Contract,
  type JsonBody,
  check,
  jsonReader,
  type JsonReader,
  type ReadJson,
  bodyTooLarge,
  tooLarge,
} from '@receipts/kernel';
import { parse as parseContentType } from 'content-type';
import { z } from 'zod';
import { unsupportedMediaType } from '../errors';
import type { BodyBudget } from './request-limits';
import { noBody, type RequestBody, type RequestContext } from './request-context';
import { formBytesMax, formValue } from './form';
import type { SizeLimits } from './limits';
import { jsonType } from './responder';

const empty = Buffer.alloc(0);

/** The caller disconnected before its body had arrived. No response can be sent. */
class Disconnected extends Error {}

/** True if a request has a body (RFC 9112, section 6.3). */
export function hasBody(context: RequestContext): boolean {
  const { headers } = context.req;
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * Reads the body, after reserving memory for it.
 * @param bytesMax a longer body is rejected as soon as possible: before any of it is read, if Content-Length shows its
 * size.
 * @throws ServiceError 413 `body_too_large`; 429 and 503 when no memory can be reserved; Disconnected.
 */
export function readBody(context: RequestContext, bytesMax: number, budget: BodyBudget): Promise<Buffer> {
  const { req, res } = context;
  if (!hasBody(context)) return Promise.resolve(empty);
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > bytesMax) {
    return Promise.reject(tooLarge(bodyTooLarge, 'the body', bytesMax));
  }
  const reservation = budget.reserve(context.limitedAs, announced);
  context.reservation = reservation;
  if (context.expectsInvitation) {
    context.expectsInvitation = false;
    res.writeContinue();
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let isRefused = false;
    // The listeners are not removed: removing them would cost more than it saves.
    req.on('data', (chunk: Buffer) => {
      if (isRefused) return;
      length += chunk.length;
      try {
        if (length > bytesMax) throw tooLarge(bodyTooLarge, 'the body', bytesMax);
        if (length > announced) reservation.grow(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        isRefused = true;
        chunks.length = 0;
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    const onClose = () => {
      if (!req.complete) reject(new Disconnected('the caller disconnected'));
    };
    req.on('end', () => resolve(chunks.length === 1 ? (chunks[0] ?? empty) : Buffer.concat(chunks)));
    req.on('close', onClose).on('error', onClose);
  });
}

const patchType = 'application/json-patch+json';

export interface JsonBodyReader {
  /**
   * The media type whose schema applies to a body with this Content-Type.
   * @throws ServiceError 415, with `Accept-Patch` if the route accepts patches.
   */
  mediaTypeOf(headers: JsonBodyHeaders): string;
  /**
   * @returns the value, and the bytes to forward.
   * @throws ServiceError 400 `malformed_body`, 422 with every error found.
   */
  read(bytes: Buffer, mediaType: string): ReadJson | Promise<ReadJson>;
}

interface JsonBodyHeaders {
  readonly 'content-type'?: string | undefined;
  readonly 'content-encoding'?: string | string[] | undefined;
}

const utf8Names = new Set(['utf-8', 'utf8']);

/** @throws ServiceError 415 for a compressed body. */
export function checkCoding(coding: string | string[] | undefined): void {
  if (coding === undefined || coding === 'identity') return;
  throw new ServiceError(unsupportedMediaType, {
    description: 'a content encoding is not supported here',
    headers: { 'accept-encoding': 'identity' },
  });
}

/** Reads the media type of a body that has one of these types and is UTF-8. See `JsonBodyReader`. */
export function mediaTypeReader(types: readonly string[], method: string): JsonBodyReader['mediaTypeOf'] {
  const listed = [...types].sort((a, b) => Number(b === patchType) - Number(a === patchType)).join(', ');
  const refuse = (description: string) =>
    new ServiceError(unsupportedMediaType, {
      description,
      headers: method === 'PATCH' ? { 'accept-patch': listed } : { accept: listed },
    });
  return (headers) => {
    checkCoding(headers['content-encoding']);
    const { type, parameters } = parseContentType(headers['content-type'] ?? '');
    if (!types.includes(type)) throw refuse(`the content type must be ${types.join(' or ')}`);
    const { charset = 'utf-8' } = parameters;
    if (!utf8Names.has(charset.toLowerCase())) throw refuse('the charset must be utf-8');
    return type;
  };
}

export function jsonBodyReader(body: JsonBody, method: string): JsonBodyReader {
  const readers = new Map(
    Object.entries(body.variants).map(([type, schema]): [string, JsonReader] => [
      type,
      type === formType ? formReader(schema) : jsonReader(schema, body),
    ]),
  );
  return {
    mediaTypeOf: mediaTypeReader([...readers.keys()], method),
    read: (bytes, mediaType) => (readers.get(mediaType) as JsonReader)(bytes),
  };
}

/** Owners read JSON only, so form bodies are converted. */
function formReader(schema: z.ZodType): JsonReader {
  return (given) => {
    const value = formValue(given);
    check(schema, value);
    return { value, bytes: Buffer.from(JSON.stringify(value)) };
  };
}

/** Reads and checks the body of a request. */
export type RequestBodyReader = (context: RequestContext) => RequestBody | Promise<RequestBody>;

export interface BodyBounds {
  readonly limits: SizeLimits;
  readonly budget: BodyBudget;
}

const unknownType = 'application/octet-stream';

function wantsPrettyBody(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (value as { pretty?: unknown }).pretty === true;
}

const limitNames = {
  body: 'bodyBytesMax',
  attachment: 'attachmentBytesMax',
  batch: 'batchBytesMax',
} as const satisfies Record<BodyLimit, keyof SizeLimits>;

function bytesReader(
  { limit, types, schemas }: BytesBody,
  method: string,
  { limits, budget }: BodyBounds,
): RequestBodyReader {
  const bytesMax = limits[limitNames[limit]];
  if (schemas) {
    const mediaTypeOf = mediaTypeReader(Object.keys(schemas), method);
    return async (context) => {
      const contentType = mediaTypeOf(context.req.headers);
      const bytes = await readBody(context, bytesMax, budget);
      return { bytes, value: bytes, contentType };
    };
  }
  return async (context) => {
    const { headers } = context.req;
    checkCoding(headers['content-encoding']);
    const contentType = headers['content-type'] ?? unknownType;
    if (types && !types.includes(parseContentType(contentType).type)) {
      throw new ServiceError(unsupportedMediaType, {
        description: `the content type must be ${types.join(' or ')}`,
        headers: { accept: types.join(', ') },
      });
    }
    const bytes = await readBody(context, bytesMax, budget);
    return { bytes, value: bytes, contentType };
  };
}

function jsonRequestReader(
  body: JsonBody,
  method: string,
  { limits, budget }: BodyBounds,
): RequestBodyReader {
  const reader = jsonBodyReader(body, method);
  const isOptional = body.optional === true;
  return async (context) => {
    if (isOptional && !hasBody(context)) return noBody;
    const contentType = reader.mediaTypeOf(context.req.headers);
    const bytesMax = contentType === formType ? formBytesMax : limits.bodyBytesMax;
    const bytes = await readBody(context, bytesMax, budget);
    if (isOptional && bytes.length === 0) return noBody;
    const read = await reader.read(bytes, contentType);
    if (wantsPrettyBody(read.value)) context.pretty = true;
    return { ...read, contentType };
  };
}

/** The reader of a contract's body. */
export function requestBodyReader(
  body: NonNullable<Contract['body']>,
  method: string,
  bounds: BodyBounds,
): RequestBodyReader {
  if (body instanceof z.ZodType)
    return jsonRequestReader({ kind: 'json', variants: { [jsonType]: body } }, method, bounds);
  return body.kind === 'bytes' ? bytesReader(body, method, bounds) : jsonRequestReader(body, method, bounds);
}
