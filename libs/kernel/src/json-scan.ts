const quote = 0x22;
const backslash = 0x5c;
/** Most strings are shorter; within a longer one, the native search is faster than a loop. */
const shortStringBytesMax = 32;

/**
 * The end of a string in a JSON text: the index of its closing quote, or at least the length of the text if it has
 * none.
 * @param from the index after its opening quote
 */
export function endOfString(bytes: Uint8Array, from: number): number {
  for (let i = from; ;) {
    const near = Math.min(i + shortStringBytesMax, bytes.length);
    for (; i < near; i++) {
      if (bytes[i] === quote) return i;
      if (bytes[i] === backslash) i++;
    }
    const next = i < bytes.length ? bytes.indexOf(quote, i) : -1;
    if (next < 0) return bytes.length;
    let escapes = next;
    while (escapes > i && bytes[escapes - 1] === backslash) escapes--;
    if ((next - escapes) % 2 === 0) return next;
    i = next + 1;
  }
}
