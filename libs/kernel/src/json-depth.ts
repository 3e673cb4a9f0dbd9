import { endOfString } from './json-scan';

const quote = 0x22;

/**
 * Whether arrays and objects are nested more deeply than `max`. It scans bytes, so that deep nesting cannot overflow
 * the stack.
 */
export function isDeeperThan(bytes: Uint8Array, max: number): boolean {
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quote) i = endOfString(bytes, i + 1);
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > max) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}
