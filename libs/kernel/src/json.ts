import { malformedBody, ServiceError } from './errors';

/** The deepest nesting that a body may have. */
export const jsonDepthMax = 32;

const quote = 0x22;
const backslash = 0x5c;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** True when arrays and objects nest deeper than `max`. Reads bytes, so that hostile depth costs no stack. */
export function isDeeperThan(bytes: Uint8Array, max: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inString) {
      if (byte === backslash) i++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > max) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}

/**
 * Parses a JSON body of a caller.
 * @throws ServiceError 400 `malformed_body` for bad UTF-8, bad JSON, or more than 32 levels.
 */
export function parseJson(bytes: Uint8Array): unknown {
  if (isDeeperThan(bytes, jsonDepthMax)) {
    throw new ServiceError(malformedBody, {
      description: `the body nests deeper than ${jsonDepthMax} levels`,
    });
  }
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
