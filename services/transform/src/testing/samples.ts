import type { PostedMapping } from '@receipts/contracts';

/** A mapping for the JSON of `sales`. */
export const jsonMapping = (id: string, changes: Partial<PostedMapping> = {}): PostedMapping => ({
  id,
  decode: { type: 'json' },
  transform: {
    language: 'jsonata',
    expression: `doc.sales.{
      "transaction_id": number, "localtime": "2026-01-02T03:04:05", "store_reference": "1", "total": sum,
      "items": [{ "name": "Shirt", "quantity": 1, "total": sum }], "properties": { "email": $$.props.email }
    }`,
  },
  ...changes,
});

export const sales = (...numbers: string[]) =>
  JSON.stringify({ sales: numbers.map((number) => ({ number, sum: 5 })) });

export const base64 = (text: string) => Buffer.from(text).toString('base64');

/** An invalid value for each part of a mapping that can fail to compile. */
export const brokenMapping = (id: string) =>
  jsonMapping(id, {
    decode: { type: 'text', codepage: 'cp9999' },
    extract: {
      fields: { a: { line: '(' }, b: { line: '(x)\\1' } },
      tables: { t: { row: '(?=look)' } },
    },
    transform: { language: 'jsonata', expression: '{ "a": \n\n ]' },
  });
