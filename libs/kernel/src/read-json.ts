import { isUtf8 } from 'node:buffer';
import { EventLoopBudget } from '@receipts/concurrency';
import type { z } from 'zod';
import type { JsonBody } from './body';
import { compileFastCheck } from './compile-fast-check';
import { malformedBody, schemaValidationFailed, ServiceError, tooMany } from './errors';
import { parseExactly } from './exact-json';
import { wording } from './fault-wording';
import { checkJsonBounds, hasOnlyFiniteNumbers, parseJson } from './json';
import { checkInTurns } from './validate';

/**
 * A body of up to this size that the fast check accepts needs no check of its limits, because neither many values nor
 * deep nesting can make it expensive.
 */
const smallBytesMax = 16 * 1024;
/**
 * The maximum number of bytes, over all bodies, that go through one step (limits, parsing, validation) in one turn of
 * the event loop. A step takes up to 12 ms per megabyte (November 2026).
 */
const bytesPerTurnMax = 256 * 1024;
const budget = new EventLoopBudget(bytesPerTurnMax);

/** Runs a step of reading a body in an event loop turn with enough remaining budget. */
export function inBodyTurn<T>(bytes: number, step: () => T): T | Promise<T> {
  return budget.run(bytes, step);
}

export interface ReadJson {
  readonly value: unknown;
  /** The body without its byte order mark. */
  readonly bytes: Buffer;
}

/**
 * Reads a JSON body.
 * @throws ServiceError 400 `malformed_body`; 422 with every error found
 */
export type JsonReader = (bytes: Buffer) => ReadJson | Promise<ReadJson>;

export function withoutByteOrderMark(bytes: Buffer): Buffer {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return isMarked ? bytes.subarray(3) : bytes;
}

/** Undefined for invalid JSON; `parseJson` then reports the error. */
function parsedSmall(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined;
  try {
    return parseExactly(bytes.toString());
  } catch {
    return undefined;
  }
}

/** The reader of JSON bodies that a schema describes. */
export function jsonReader(
  schema: z.ZodType,
  { tooMany: excessOf, refusal }: Pick<JsonBody, 'tooMany' | 'refusal'> = {},
): JsonReader {
  const accepts = compileFastCheck(schema);

  async function readInTurns(bytes: Buffer): Promise<ReadJson> {
    const inTurn = <T>(step: () => T) => inBodyTurn(bytes.length, step);
    await inTurn(() => checkJsonBounds(bytes));
    const value = await inTurn(() => parseJson(bytes));
    const excess = await inTurn(() => excessOf?.(value));
    if (excess !== undefined) throw new ServiceError(tooMany, { description: excess });
    if (await inTurn(() => accepts(value))) return { value, bytes };
    await checkInTurns(schema, value, refusal);
    if (!hasOnlyFiniteNumbers(value)) {
      throw new ServiceError(schemaValidationFailed, {
        errors: [{ path: '', code: 'not_finite', message: wording.onlyFinite }],
      });
    }
    return { value, bytes };
  }

  return (given) => {
    const bytes = withoutByteOrderMark(given);
    if (bytes.length === 0) throw new ServiceError(malformedBody, { description: 'the body is empty' });
    if (bytes.length <= smallBytesMax) {
      const value = parsedSmall(bytes);
      if (accepts(value)) return { value, bytes };
    }
    return readInTurns(bytes);
  };
}
