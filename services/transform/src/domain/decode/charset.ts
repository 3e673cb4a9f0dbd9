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
 * Text of bytes: in the mapping's code page, else as a byte order mark or the content type says, else as UTF-8. Bytes
 * that are no UTF-8 are read as Windows-1252, whatever the till claims: a wrong letter costs less than a lost receipt.
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
