import { endOfString } from '@receipts/kernel';

const space = 0x20;
const newline = 0x0a;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;

const opens = (byte: number | undefined) => byte === 0x7b || byte === 0x5b;
const closes = (byte: number | undefined) => byte === 0x7d || byte === 0x5d;
const isBlank = (byte: number | undefined) =>
  byte === space || byte === newline || byte === 0x0d || byte === 0x09;

/**
 * Formats JSON for readers, with two spaces per level. It changes only white space: parsing and printing would change
 * numbers such as `1.0`.
 */
export function indentJson(json: Buffer): Buffer {
  const parts: (Buffer | string)[] = [];
  let depth = 0;
  let copied = 0;
  const put = (end: number, ...more: string[]) => {
    if (end > copied) parts.push(json.subarray(copied, end));
    parts.push(...more);
  };
  const line = () => `\n${'  '.repeat(depth)}`;
  let i = 0;
  while (i < json.length) {
    const byte = json[i];
    if (byte === quote) {
      i = endOfString(json, i + 1) + 1;
      continue;
    }
    if (isBlank(byte)) put(i);
    else if (opens(byte)) {
      let next = i + 1;
      while (isBlank(json[next])) next++;
      if (closes(json[next])) {
        put(i + 1);
        copied = next;
        i = next + 1;
        continue;
      }
      depth++;
      put(i + 1, line());
    } else if (closes(byte)) {
      depth--;
      put(i, line());
      copied = i;
      i++;
      continue;
    } else if (byte === comma) put(i + 1, line());
    else if (byte === colon) put(i + 1, ' ');
    else {
      i++;
      continue;
    }
    i++;
    copied = i;
  }
  put(json.length, '\n');
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}
