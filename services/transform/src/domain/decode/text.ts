import { decodeText } from './charset';
import type { DecodeOptions, Part } from './decoded';
import { partsOf } from './lines';

// oxlint-disable-next-line no-control-regex -- Removing control characters is the purpose of this pattern.
const noText = /[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufeff]/g;

/**
 * Decodes plain printer text. Control characters other than line ends and form feeds are removed, after splitting
 * receipts.
 */
export function decodePlainText(
  bytes: Buffer,
  options: DecodeOptions<'text'>,
  contentType: string | null,
): Part[] {
  const text = decodeText(bytes, options.codepage, contentType);
  return partsOf(text, options, (part) => part.replace(noText, ''));
}
