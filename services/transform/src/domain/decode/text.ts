import { decodeText } from './charset';
import type { DecodeOptions, Part } from './decoded';
import { partsOf } from './lines';

// eslint-disable-next-line no-control-regex -- Control characters are what is to be removed.
const noText = /[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufeff]/g;

/** Plain printer text: control characters other than line ends and form feeds mean nothing here, unless receipts are split at them. */
export function decodePlainText(
  bytes: Buffer,
  options: DecodeOptions<'text'>,
  contentType: string | null,
): Part[] {
  const text = decodeText(bytes, options.codepage, contentType);
  return partsOf(text, options, (part) => part.replace(noText, ''));
}
