import {
  check,
  formType,
  hasOnlyFiniteNumbers,
  malformedBody,
  parseJson,
  schemaValidationFailed,
  ServiceError,
  type JsonBody,
} from '@receipts/kernel';
import { unsupportedMediaType } from '../errors';
import { formValue } from './form';
import { parseMediaType } from './media-type';

const patchType = 'application/json-patch+json';

export interface JsonBodyReader {
  /**
   * The media type under which a body with this Content-Type is checked.
   * @throws ServiceError 415, with `Accept-Patch` where the route takes patches.
   */
  mediaTypeOf(headers: JsonBodyHeaders): string;
  /**
   * @returns the value, and the bytes to forward.
   * @throws ServiceError 400 `malformed_body`, 422 with every fault.
   */
  read(bytes: Buffer, mediaType: string): { readonly value: unknown; readonly bytes: Buffer };
}

interface JsonBodyHeaders {
  readonly 'content-type'?: string | undefined;
  readonly 'content-encoding'?: string | string[] | undefined;
}

const utf8Names = new Set(['utf-8', 'utf8']);

function withoutMark(bytes: Buffer): Buffer {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return isMarked ? bytes.subarray(3) : bytes;
}

/** @throws ServiceError 415 for a body that is compressed. */
export function checkCoding(coding: string | string[] | undefined): void {
  if (coding === undefined || coding === 'identity') return;
  throw new ServiceError(unsupportedMediaType, {
    description: 'a content encoding is not supported here',
    headers: { 'accept-encoding': 'identity' },
  });
}

export function jsonBodyReader(body: JsonBody, method: string): JsonBodyReader {
  const types = Object.keys(body.variants);
  const listed = [...types].sort((a, b) => Number(b === patchType) - Number(a === patchType)).join(', ');
  const refuse = (description: string) =>
    new ServiceError(unsupportedMediaType, {
      description,
      headers: method === 'PATCH' ? { 'accept-patch': listed } : { accept: listed },
    });

  return {
    mediaTypeOf(headers) {
      checkCoding(headers['content-encoding']);
      const given = headers['content-type'];
      const parsed = given === undefined ? undefined : parseMediaType(given);
      if (!parsed || !types.includes(parsed.name))
        throw refuse(`the content type must be ${types.join(' or ')}`);
      if (parsed.charset !== undefined && !utf8Names.has(parsed.charset)) {
        throw refuse('the charset must be utf-8');
      }
      return parsed.name;
    },
    read(given, mediaType) {
      const schema = body.variants[mediaType];
      if (mediaType === formType) {
        const value = formValue(given);
        if (schema) check(schema, value);
        // The owner reads JSON, whatever the browser sent.
        return { value, bytes: Buffer.from(JSON.stringify(value)) };
      }
      const bytes = withoutMark(given);
      if (bytes.length === 0) throw new ServiceError(malformedBody, { description: 'the body is empty' });
      const value = parseJson(bytes);
      if (schema) check(schema, value, body.refusal);
      if (!hasOnlyFiniteNumbers(value)) {
        throw new ServiceError(schemaValidationFailed, {
          errors: [{ path: '', code: 'out_of_range', message: 'a number is too large' }],
        });
      }
      return { value, bytes };
    },
  };
}
