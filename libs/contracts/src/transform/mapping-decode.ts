import { z } from 'zod';

const decodeType = <const T extends string>(type: T) =>
  z.literal(type).describe('The format of the raw data.');
const codepage = z
  .string()
  .min(1)
  .max(40)
  .optional()
  .describe(
    'The code page of the text, such as `cp858`. By default, the byte order mark, the XML declaration or the charset of the media type decides, then UTF-8; data that is not valid UTF-8 is read as Windows-1252. If a code page is set or declared, an invalid byte becomes U+FFFD. For `escpos` and `star`, it applies until a command selects another one; it defaults to `cp437`, or to that of Star printers.',
  );
const lineOptions = {
  codepage,
  columns: z
    .int()
    .min(8)
    .max(500)
    .optional()
    .describe(
      'The width of the paper in characters. Longer lines are wrapped. Without it, OPOS text is aligned on 42 columns, and lines are not wrapped.',
    ),
  split: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'The string that separates several receipts in the data, in addition to cuts and form feeds. `none` returns the whole job as one part, in which a line with a form feed marks each cut. The pages of a PDF are one part, unless the string is a form feed.',
    ),
};

/** The printers whose numbering of code pages is known. */
const printers = [
  'epson',
  'star',
  'bixolon',
  'citizen',
  'xprinter',
  'pos-5890',
  'hp',
  'fujitsu',
  'mpt',
  'youku',
] as const;
export type PrinterFamily = (typeof printers)[number];

const characterSetOptions = {
  printer: z
    .enum(printers)
    .optional()
    .describe(
      'The family of the printer, which determines the code pages that `ESC t` (on Star printers `ESC GS t`) selects by number. Defaults to `epson`, for `star` data to `star`.',
    ),
  code_pages: z
    .record(z.string().regex(/^(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$/), z.string().min(1).max(40))
    .optional()
    .describe(
      'The code pages of single numbers for which the printer differs from its family, as in `{"13": "cp858", "0": "gb18030"}`.',
    ),
  multibyte: z
    .enum(['shift_jis', 'gb18030', 'big5', 'euc-kr'])
    .optional()
    .describe(
      'The Chinese, Japanese or Korean character set of kanji mode, regardless of the code page. If set, kanji mode is on until the data turns it off.',
    ),
};

/** How bytes are decoded to lines (text, escpos, star, opos, epos, pdf) or to a document (json, xml, csv). */
export const mappingDecode = z.discriminatedUnion('type', [
  z.strictObject({ type: decodeType('json'), codepage }),
  z.strictObject({
    type: decodeType('xml'),
    codepage,
    keep_prefixes: z
      .boolean()
      .optional()
      .describe('Whether the names of elements keep their namespace prefixes. Defaults to `false`.'),
    ordered: z
      .boolean()
      .optional()
      .describe(
        'Whether `doc` is the root element, and every element is an object with `name`, `attributes`, `text` (its own text, joined, with its spaces) and `children` in the order of the document. Defaults to `false`.',
      ),
  }),
  z.strictObject({
    type: decodeType('csv'),
    codepage,
    delimiter: z
      .string()
      .min(1)
      .max(4)
      .optional()
      .describe(
        'The characters between two values. By default, the most frequent of comma, semicolon, tab and `|` in the first line.',
      ),
    quote: z
      .string()
      .length(1)
      .optional()
      .describe('The character that encloses values. Defaults to a double quote.'),
    header: z
      .union([z.boolean(), z.array(z.string().min(1).max(100)).min(1).max(500)])
      .optional()
      .describe(
        '`true` if the first line contains the names of the columns, or a list of these names. If several columns have the same name, the second is called `name_2`, the third `name_3`.',
      ),
    skip_lines: z.int().min(0).max(1000).optional().describe('The number of lines to skip at the beginning.'),
  }),
  z.strictObject({ type: decodeType('text'), ...lineOptions }),
  z.strictObject({ type: decodeType('escpos'), ...lineOptions, ...characterSetOptions }),
  z.strictObject({ type: decodeType('star'), ...lineOptions, ...characterSetOptions }),
  z.strictObject({ type: decodeType('opos'), ...lineOptions }),
  z.strictObject({ type: decodeType('epos'), ...lineOptions }),
  z.strictObject({ type: decodeType('pdf'), split: lineOptions.split, columns: lineOptions.columns }),
]);
export type MappingDecode = z.output<typeof mappingDecode>;
