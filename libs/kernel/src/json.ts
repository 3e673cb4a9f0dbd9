import { malformedBody, ServiceError, tooMany } from './errors';

/** The deepest nesting that a body may have. */
export const jsonDepthMax = 32;

/**
 * The most values that a body may have: numbers, texts, `true`, `false`, `null`, and what is empty. As many may be the objects
 * and arrays around them. Whoever sends more would keep everybody else waiting while they are looked at.
 */
export const jsonValuesMax = 20_000;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Looks at the bounds of a body before it is parsed: what is large is refused in the time that it takes to read it once.
 * Between two values of a list or an object stands a comma, so that commas tell how many there are.
 * @throws ServiceError 400 `malformed_body` for more than 32 levels; 422 `too_many` for more than 20,000 values.
 */
export function checkJsonBounds(bytes: Uint8Array): void {
  let depth = 0;
  let commas = 0;
  let containers = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inString) {
      if (byte === backslash) i++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === comma) commas++;
    else if (byte === 0x7b || byte === 0x5b) {
      containers++;
      if (++depth > jsonDepthMax) {
        throw new ServiceError(malformedBody, {
          description: `the body nests deeper than ${jsonDepthMax} levels`,
        });
      }
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  if (commas < jsonValuesMax && containers <= jsonValuesMax) return;
  throw new ServiceError(tooMany, { description: `the body has more than ${jsonValuesMax} values` });
}

/**
 * Parses a body of a caller, whose bounds were looked at.
 * @throws ServiceError 400 `malformed_body` for bad UTF-8 or bad JSON
 */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw new ServiceError(malformedBody, { cause });
  }
}

/** True when every number in a parsed JSON value is finite: `1e400` parses to Infinity and must not be kept. */
export function hasOnlyFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value !== 'object') return true;
  for (const member of Object.values(value)) if (!hasOnlyFiniteNumbers(member)) return false;
  return true;
}
