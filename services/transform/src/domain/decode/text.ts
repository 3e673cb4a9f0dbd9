import { decodeText } from './charset';
import type { DecodeOptions, Part } from './decoded';
import { partsOf } from './lines';

/** Plain printer text: control characters other than line ends and form feeds mean nothing here. */
export function decodePlainText(
  bytes: Buffer,
  options: DecodeOptions<'text'>,
  contentType: string | null,
): Part[] {
  const text = decodeText(bytes, options.codepage, contentType).replace(
    // eslint-disable-next-line no-control-regex -- Control characters are what is to be removed.
    /[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufeff]/g,
    '',
  );
  return partsOf(text.replaceAll('\t', ' '), options.split, options.columns);
}
