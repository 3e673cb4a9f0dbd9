import {
  formType,
  ServiceError,
  type BodyLimit,
  type BytesBody,
  type Contract,
  type JsonBody,
} from '@receipts/kernel';
import { parse as parseContentType } from 'content-type';
import { z } from 'zod';
import { unsupportedMediaType } from '../errors';
import { hasBody, readBody } from './body';
import type { BodyBudget } from './body-budget';
import { noBody, type RequestBody, type RequestContext } from './request-context';
import { formBytesMax } from './form';
import { checkCoding, jsonBodyReader, mediaTypeReader } from './json-body';
import type { SizeLimits } from './limits';
import { jsonType } from './responder';

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

function jsonReader(body: JsonBody, method: string, { limits, budget }: BodyBounds): RequestBodyReader {
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
    return jsonReader({ kind: 'json', variants: { [jsonType]: body } }, method, bounds);
  return body.kind === 'bytes' ? bytesReader(body, method, bounds) : jsonReader(body, method, bounds);
}
