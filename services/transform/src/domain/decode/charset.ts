import iconv from 'iconv-lite';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

export function isKnownCodepage(name: string): boolean {
  return iconv.encodingExists(name);
}

function charsetOf(contentType: string | null): string | undefined {
  const [, charset] = /;\s*charset\s*=\s*"?([\w.:-]+)"?/i.exec(contentType ?? '') ?? [];
  return charset !== undefined && isKnownCodepage(charset) ? charset : undefined;
}

function byteOrderMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

const isUtf8 = (name: string): boolean => /^utf-?8$/i.test(name);

function decodeAs(bytes: Buffer, codepage: string): string {
  return iconv.decode(bytes, codepage);
}

/**
 * Decodes bytes to text: with the mapping's code page, otherwise by the byte order mark or the content type, otherwise
 * as UTF-8. Bytes that are invalid UTF-8 are decoded as Windows-1252 regardless of the declaration, because a wrong
 * letter is better than a lost receipt.
 */
export function decodeText(bytes: Buffer, codepage: string | undefined, contentType: string | null): string {
  const declared = codepage ?? byteOrderMark(bytes) ?? charsetOf(contentType);
  if (declared !== undefined && !isUtf8(declared)) return decodeAs(bytes, declared);
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return decodeAs(bytes, 'windows-1252');
  }
}
