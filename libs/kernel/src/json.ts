import { isPlainValue } from './compile-fast-check';
import { malformedBody, ServiceError, tooMany } from './errors';
import { parseExactly } from './exact-json';
import { endOfString } from './json-scan';
import { decodeUtf8 } from './utf8';

/** The maximum nesting depth of a body. */
export const jsonDepthMax = 32;

/**
 * The maximum number of values in a body: numbers, strings, `true`, `false`, `null`, and empty arrays and objects.
 * The same limit applies to the number of arrays and objects. Checking a larger body would block other requests for
 * too long.
 */
export const jsonValuesMax = 20_000;

export interface JsonBounds {
  readonly depthMax: number;
  readonly valuesMax: number;
}

const bodyBounds: JsonBounds = { depthMax: jsonDepthMax, valuesMax: jsonValuesMax };
const quote = 0x22;
const comma = 0x2c;

/**
 * Checks the limits of a body before it is parsed, so that an oversized one costs only a single scan. Values are
 * counted by the commas between them.
 * @throws ServiceError 400 `malformed_body` for too many levels, or 422 `too_many` for too many values, whichever comes
 * first
 */
export function checkJsonBounds(bytes: Uint8Array, { depthMax, valuesMax } = bodyBounds): void {
  let depth = 0;
  let commas = 0;
  let containers = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quote) i = endOfString(bytes, i + 1);
    else if (byte === comma) {
      if (++commas >= valuesMax) throw tooManyValues(valuesMax);
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++containers > valuesMax) throw tooManyValues(valuesMax);
      if (++depth > depthMax) {
        throw new ServiceError(malformedBody, {
          description: `the body is nested more deeply than ${depthMax} levels`,
        });
      }
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
}

const tooManyValues = (valuesMax: number) =>
  new ServiceError(tooMany, { description: `the body has more than ${valuesMax} values` });

/**
 * Parses a request body whose limits have been checked.
 * @throws ServiceError 400 `malformed_body` for invalid UTF-8 or JSON
 */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return parseExactly(decodeUtf8(bytes));
  } catch (cause) {
    throw new ServiceError(malformedBody, { cause });
  }
}

/** Whether every number in a parsed JSON value is finite: `1e400` parses to Infinity and must not be stored. */
export const hasOnlyFiniteNumbers = (value: unknown): boolean => isPlainValue(value, Infinity);
