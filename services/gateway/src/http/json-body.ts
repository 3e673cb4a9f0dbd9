import { isUtf8 } from 'node:buffer';
import {
  compileFastCheck,
  check,
  checkInTurns,
  formType,
  hasOnlyFiniteNumbers,
  malformedBody,
  EventLoopBudget,
  checkJsonBounds,
  parseJson,
  schemaValidationFailed,
  ServiceError,
  tooMany,
  wording,
  type Accepts,
  type JsonBody,
} from '@receipts/kernel';
import { parse as parseContentType } from 'content-type';
import type { z } from 'zod';
import { unsupportedMediaType } from '../errors';
import { formValue } from './form';

const patchType = 'application/json-patch+json';

/** Up to this size, neither the number of values nor the cost of parsing before the depth is checked matters. */
const smallBytesMax = 16 * 1024;
/**
 * The maximum of bytes, over all bodies, that go through one step (bounds, parsing, checking) in one turn of the event
 * loop. A step takes up to 12 ms per megabyte (November 2026).
 */
const bytesPerTurnMax = 256 * 1024;
const budget = new EventLoopBudget(bytesPerTurnMax);

/** Undefined for invalid JSON; `parseJson` then reports the error. */
function parsedSmall(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined;
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

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
  read(bytes: Buffer, mediaType: string): ReadBody | Promise<ReadBody>;
}

interface ReadBody {
  readonly value: unknown;
  readonly bytes: Buffer;
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

/** @throws ServiceError 415 for a compressed body. */
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

  const quick = new Map(
    Object.entries(body.variants)
      .filter(([type]) => type !== formType)
      .map(([type, schema]) => [type, compileFastCheck(schema)]),
  );

  return {
    mediaTypeOf(headers) {
      checkCoding(headers['content-encoding']);
      const { type, parameters } = parseContentType(headers['content-type'] ?? '');
      if (!types.includes(type)) throw refuse(`the content type must be ${types.join(' or ')}`);
      const { charset = 'utf-8' } = parameters;
      if (!utf8Names.has(charset.toLowerCase())) throw refuse('the charset must be utf-8');
      return type;
    },
    read(given, mediaType) {
      const schema = body.variants[mediaType];
      if (mediaType === formType) {
        const value = formValue(given);
        if (schema) check(schema, value);
        // Owners read JSON only, so form bodies are converted.
        return { value, bytes: Buffer.from(JSON.stringify(value)) };
      }
      const bytes = withoutMark(given);
      if (bytes.length === 0) throw new ServiceError(malformedBody, { description: 'the body is empty' });
      const accepts = quick.get(mediaType);
      if (bytes.length <= smallBytesMax && accepts) {
        const value = parsedSmall(bytes);
        if (accepts(value)) return { value, bytes };
      }
      return readInTurns(bytes, { schema, accepts, body });
    },
  };
}

interface Rules {
  readonly schema: z.ZodType | undefined;
  readonly accepts: Accepts | undefined;
  readonly body: JsonBody;
}

async function readInTurns(bytes: Buffer, { schema, accepts, body }: Rules): Promise<ReadBody> {
  const inTurn = <T>(work: () => T) => budget.run(bytes.length, work);
  await inTurn(() => checkJsonBounds(bytes));
  const value = await inTurn(() => parseJson(bytes));
  const excess = await inTurn(() => body.tooMany?.(value));
  if (excess !== undefined) throw new ServiceError(tooMany, { description: excess });
  if (await inTurn(() => accepts?.(value))) return { value, bytes };
  if (schema) await checkInTurns(schema, value, body.refusal);
  if (!hasOnlyFiniteNumbers(value)) {
    throw new ServiceError(schemaValidationFailed, {
      errors: [{ path: '', code: 'not_finite', message: wording.onlyFinite }],
    });
  }
  return { value, bytes };
}
