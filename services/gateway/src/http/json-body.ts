import {
  check,
  formType,
  jsonReader,
  ServiceError,
  type JsonBody,
  type JsonReader,
  type ReadJson,
} from '@receipts/kernel';
import { parse as parseContentType } from 'content-type';
import type { z } from 'zod';
import { unsupportedMediaType } from '../errors';
import { formValue } from './form';

const patchType = 'application/json-patch+json';

export interface JsonBodyReader {
  /**
   * The media type whose schema applies to a body with this Content-Type.
   * @throws ServiceError 415, with `Accept-Patch` where the route takes patches.
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
