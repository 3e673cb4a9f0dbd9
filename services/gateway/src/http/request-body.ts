import {
  formType,
  ServiceError,
  type Body,
  type BodyLimit,
  type BytesBody,
  type JsonBody,
  check,
  jsonReader,
  type JsonReader,
  bodyTooLarge,
  tooLarge,
} from '@receipts/kernel';
import { parse as parseContentType } from 'content-type';
import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import { unsupportedMediaType } from '../errors';
import type { BodyBudget } from './request-limits';
import { noBody, type RequestBody, type RequestContext } from './request-context';
import { formBytesMax, formValue } from './form';
import type { SizeLimits } from './limits';

const empty = Buffer.alloc(0);

/** The caller disconnected before its body had arrived. No response can be sent. */
class Disconnected extends Error {}

/**
 * Reads the body, after reserving memory for it.
 * @param bytesMax a longer body is rejected as soon as possible: before any of it is read, if Content-Length shows its
 * size.
 * @throws ServiceError 413 `body_too_large`; 429 and 503 when no memory can be reserved; Disconnected.
 */
function readBody(context: RequestContext, bytesMax: number, budget: BodyBudget): Promise<Buffer> {
  const { req, res } = context;
  if (!context.hasBody) return Promise.resolve(empty);
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > bytesMax) {
    return Promise.reject(tooLarge(bodyTooLarge, 'the body', bytesMax));
  }
  const reservation = context.reserve(budget, announced);
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

const utf8Names = new Set(['utf-8', 'utf8']);

/** @throws ServiceError 415 for a compressed body. */
function checkCoding(coding: string | string[] | undefined): void {
  if (coding === undefined || coding === 'identity') return;
  throw new ServiceError(unsupportedMediaType, {
    description: 'a content encoding is not supported here',
    headers: { 'accept-encoding': 'identity' },
  });
}

/**
 * Reads the media type of a body that has one of these types and is UTF-8. It throws ServiceError 415, with
 * `Accept-Patch` if the route accepts patches.
 */
function mediaTypeReader(types: readonly string[], method: string): (headers: IncomingHttpHeaders) => string {
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

function anyType(headers: IncomingHttpHeaders): string {
  checkCoding(headers['content-encoding']);
  return headers['content-type'] ?? unknownType;
}

function bytesReader(
  { limit, types, schemas }: BytesBody,
  method: string,
  { limits, budget }: BodyBounds,
): RequestBodyReader {
  const bytesMax = limits[limitNames[limit]];
  const accepted = schemas ? Object.keys(schemas) : types;
  const contentTypeOf = accepted ? mediaTypeReader(accepted, method) : anyType;
  return async (context) => {
    const contentType = contentTypeOf(context.req.headers);
    const bytes = await readBody(context, bytesMax, budget);
    return { bytes, value: bytes, contentType };
  };
}

function jsonRequestReader(
  body: JsonBody,
  method: string,
  { limits, budget }: BodyBounds,
): RequestBodyReader {
  const readers = new Map(
    Object.entries(body.variants).map(([type, schema]): [string, JsonReader] => [
      type,
      type === formType ? formReader(schema) : jsonReader(schema, body),
    ]),
  );
  const mediaTypeOf = mediaTypeReader([...readers.keys()], method);
  const isOptional = body.optional === true;
  return async (context) => {
    if (isOptional && !context.hasBody) return noBody;
    const contentType = mediaTypeOf(context.req.headers);
    const bytesMax = contentType === formType ? formBytesMax : limits.bodyBytesMax;
    const bytes = await readBody(context, bytesMax, budget);
    if (isOptional && bytes.length === 0) return noBody;
    const read = await (readers.get(contentType) as JsonReader)(bytes);
    if (wantsPrettyBody(read.value)) context.pretty = true;
    return { ...read, contentType };
  };
}

/** The reader of a contract's body. */
export function requestBodyReader(body: Body, method: string, bounds: BodyBounds): RequestBodyReader {
  return body.kind === 'bytes' ? bytesReader(body, method, bounds) : jsonRequestReader(body, method, bounds);
}
