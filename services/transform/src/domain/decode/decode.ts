import type { MappingDecode } from '@receipts/contracts';
import { isKnownCodepage } from './charset';
import { decodeCsv } from './csv';
import type { Part } from './decoded';
import { decodeEscpos } from './escpos';
import { decodeJson } from './json';
import { decodeOpos } from './opos';
import { decodePdf } from './pdf';
import { decodePlainText } from './text';
import { decodeXml } from './xml';
import { ConversionError, faultOf } from '../faults/conversion-fault';

/** Decodes a packet into one part per receipt, or into a single part. */
export type Decoder = (bytes: Buffer, contentType: string | null) => Part[] | Promise<Part[]>;

/** @throws ConversionError for a code page that does not exist. */
export function decoderFor(options: MappingDecode): Decoder {
  if ('codepage' in options && options.codepage !== undefined && !isKnownCodepage(options.codepage)) {
    throw new ConversionError('mapping_failed', [
      faultOf('/decode/codepage', 'unknown_codepage', 'is not a known code page'),
    ]);
  }
  switch (options.type) {
    case 'json':
      return (bytes, contentType) => decodeJson(bytes, options, contentType);
    case 'xml':
      return (bytes, contentType) => decodeXml(bytes, options, contentType);
    case 'csv':
      return (bytes, contentType) => decodeCsv(bytes, options, contentType);
    case 'text':
      return (bytes, contentType) => decodePlainText(bytes, options, contentType);
    case 'opos':
      return (bytes, contentType) => decodeOpos(bytes, options, contentType);
    case 'escpos':
      return (bytes) => decodeEscpos(bytes, options);
    case 'pdf':
      return (bytes) => decodePdf(bytes, options);
  }
}
