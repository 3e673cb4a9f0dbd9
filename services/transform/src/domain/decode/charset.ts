import { codePage, isKnownPage } from './printers/code-page';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
const utf8 = new TextDecoder('utf-8');

export const isKnownCodepage = isKnownPage;

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

/**
 * Decodes bytes to text: with the mapping's code page, otherwise by the byte order mark or the content type. In a set that
 * is named or declared, a broken byte becomes one replacement character. Otherwise the text is UTF-8, or Windows-1252 if
 * it is not valid UTF-8.
 */
export function decodeText(bytes: Buffer, codepage: string | undefined, contentType: string | null): string {
  const declared = codepage ?? byteOrderMark(bytes) ?? charsetOf(contentType);
  if (declared !== undefined) return isUtf8(declared) ? utf8.decode(bytes) : codePage(declared).decode(bytes);
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return codePage('windows-1252').decode(bytes);
  }
}
