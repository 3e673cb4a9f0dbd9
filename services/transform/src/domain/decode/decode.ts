import type { MappingDecode } from '@receipts/contracts';
import { ConversionError, faultOf, type ConversionFault } from '../faults/conversion-fault';
import { isKnownCodepage } from './charset';
import { decodeCsv } from './csv';
import type { Part } from '../decoded/decoded';
import { decodeEpos } from './epos';
import { escposDecoder } from './escpos';
import { decodeJson } from './json';
import { decodeOpos } from './opos';
import { decodePdf } from './pdf';
import { starDecoder } from './star';
import { decodePlainText } from './text';
import { decodeXml } from './xml';

/** Decodes a packet into one part per receipt, or into a single part. No part is returned for data that prints nothing. */
export type Decoder = (bytes: Buffer, contentType: string | null) => Part[] | Promise<Part[]>;

/** @throws ConversionError for each code page that does not exist. */
function checkCodePages(options: MappingDecode): void {
  const named: [path: string, name: string | undefined][] = [];
  if ('codepage' in options) named.push(['/decode/codepage', options.codepage]);
  if ('code_pages' in options)
    for (const [number, name] of Object.entries(options.code_pages ?? {}))
      named.push([`/decode/code_pages/${number}`, name]);
  const faults: ConversionFault[] = named
    .filter(([, name]) => name !== undefined && !isKnownCodepage(name))
    .map(([path]) => faultOf(path, 'unknown_codepage', 'is not a known code page'));
  if (faults.length > 0) throw new ConversionError('mapping_failed', faults);
}

/** @throws ConversionError for a code page that does not exist. */
export function decoderFor(options: MappingDecode): Decoder {
  checkCodePages(options);
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
    case 'epos':
      return (bytes, contentType) => decodeEpos(bytes, options, contentType);
    case 'escpos':
      return escposDecoder(options);
    case 'star':
      return starDecoder(options);
    case 'pdf':
      return (bytes) => decodePdf(bytes, options);
  }
}
