import { z } from 'zod';
import { amount, shortText } from './fields';

/**
 * The optional numbers and strings of a receipt that are stored and returned as posted, null if missing. A new one is
 * declared only here.
 */
export const plainFields = {
  till_uuid: shortText.nullish().describe('The id of the till that made the sale.'),
  till_sequence: z
    .int()
    .min(0)
    .nullish()
    .describe('The till’s own number of the receipt, which counts without gaps. See `GET /reports/gaps`.'),
  subtotal: amount.nullish().describe('The total before discounts and taxes.'),
  net: amount.nullish().describe('The total excluding taxes.'),
  gross: amount.nullish().describe('The total including taxes.'),
} satisfies Readonly<Record<string, z.ZodOptional<z.ZodNullable<z.ZodType<number | string>>>>>;

type PlainFields = typeof plainFields;
type PlainName = keyof PlainFields;
type PlainValue<N extends PlainName> = NonNullable<z.output<PlainFields[N]>> | null;
type PlainValues = { [N in PlainName]: PlainValue<N> };

const names = Object.keys(plainFields) as PlainName[];

function returned<N extends PlainName>(name: N): [N, z.ZodType<PlainValue<N>>] {
  const isNumber = plainFields[name].unwrap().unwrap() instanceof z.ZodNumber;
  const schema: z.ZodType = (isNumber ? z.number() : z.string()).nullable();
  return [name, schema as z.ZodType<PlainValue<N>>];
}

/** The plain fields as returned. */
export const returnedPlainFields = Object.fromEntries(names.map(returned)) as unknown as {
  [N in PlainName]: z.ZodType<PlainValue<N>, PlainValue<N>>;
};

/** The plain fields of a receipt as returned, from those that were posted. */
export function plainValues(posted: Partial<z.output<z.ZodObject<PlainFields>>>): PlainValues {
  const values: Partial<Record<PlainName, number | string | null>> = {};
  for (const name of names) values[name] = posted[name] ?? null;
  return values as PlainValues;
}
