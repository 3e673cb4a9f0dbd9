import { isAscii, isUtf8, transcode } from 'node:buffer';

const decoder = new TextDecoder('utf-8', { fatal: true });
/** For shorter texts `TextDecoder` is faster, and takes at most half a millisecond. */
const longBytesMin = 64 * 1024;
const byteOrderMark = 0xfeff;

/**
 * Decodes UTF-8 without its byte order mark. It takes 1.8 ms for 1.9 MB of Chinese, compared with 8.9 ms for
 * `TextDecoder` (Node 20).
 * @throws TypeError for invalid UTF-8
 */
export function decodeUtf8(bytes: Uint8Array): string {
  if (bytes.length < longBytesMin) return decoder.decode(bytes);
  if (!isUtf8(bytes)) throw new TypeError('the text is not valid UTF-8');
  const { buffer, byteOffset, length } = bytes;
  if (isAscii(bytes)) return Buffer.from(buffer, byteOffset, length).toString('latin1');
  const text = transcode(bytes, 'utf8', 'ucs2').toString('ucs2');
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
}
