import { faultsMax, withQuick, wording } from '@receipts/kernel';
import { z } from 'zod';
import { always } from '../shared/schema-checks';
import { amount, dateTime, freeObject, shortText, text, wholeNumber } from './fields';
import { characters } from '../shared/characters';
import { gtin } from './gtin';
import { isTranslationTag } from './translation-tag';

export const postedTax = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9_]+$/)
    .describe('The name of the tax: lower-case letters, digits and underscores, such as `vat`.'),
  rate: amount.nullish().describe('The rate of the tax in percent.'),
  amount: amount.describe('The amount of the tax, in the currency of the receipt.'),
  code: shortText.nullish().describe('Your code for the tax.'),
  properties: freeObject('Other data about the tax. Free-form.').optional(),
});

export const postedVat = z.strictObject({
  rate: amount.describe('The rate of the value-added tax in percent.'),
  amount: amount.describe('The amount of the value-added tax, in the currency of the receipt.'),
  code: shortText.nullish().describe('Your code for the value-added tax.'),
});

export const postedDiscount = z.strictObject({
  name: text.describe('The name of the discount, as printed on the receipt.'),
  quantity: wholeNumber.nullish().describe('The number of discounted units.'),
  amount: amount.describe(
    'The amount of the discount, in the currency of the receipt. It may be positive or negative and is stored as posted.',
  ),
  percentage: amount.nullish().describe('The discount in percent.'),
  properties: freeObject('Other data about the discount. Free-form.').optional(),
});

export const chargesMax = 100;

export const postedCharge = z.strictObject({
  name: characters(1, 255).describe('The name of the charge, as printed on the receipt.'),
  amount: amount.describe(
    'The amount of the charge, in the currency of the receipt. It counts towards the total.',
  ),
  taxes: z.array(postedTax).optional().describe('The taxes on the charge.'),
});

export const postedReturn = z.strictObject({
  localtime: dateTime.describe('When the item was returned, ISO 8601.'),
  reason: text.nullish().describe('Why the item was returned.'),
  properties: freeObject('Other data about the return. Free-form.').optional(),
});

const details = {
  is: (value: unknown) =>
    typeof value === 'string' || (Array.isArray(value) && value.every((line) => typeof line === 'string')),
  message: 'must be a string or an array of strings',
  openapi: {
    description: 'Further lines about the item, as one string or a list of strings.',
    anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
  },
};

const alternativeOfName = 'name:';

/**
 * Translations of a name, for the API description. The type is defined by exclusion: with `type: string`, code
 * generators would assume strings for all members of the item.
 */
export const translations = {
  '^name:[A-Za-z0-9_]+$': {
    description:
      'The name in another language, such as `name:fr` or `name:de_AT`. The tag is an RFC 5646 language tag with underscores instead of hyphens, each subtag in its correct case.',
    not: { type: ['object', 'array', 'number', 'boolean', 'null'], items: {} },
  },
};

/** All fields of an item except translations of its name, whose keys are variable: `name:fr`, `name:de_AT`. */
export const postedItemFields = z.strictObject({
  name: text.describe('The name of the item, as printed on the receipt.'),
  quantity: amount.describe('The quantity, in units of `unit`. Negative for returned items.'),
  total: amount.describe('The price of the whole quantity, in the currency of the receipt.'),
  gtin: gtin
    .nullish()
    .describe('The GTIN of the article: 8, 12, 13 or 14 digits with a correct check digit.'),
  lot: characters(1, 20).nullish().describe('The batch or lot number of the article.'),
  serial: characters(1, 20).nullish().describe('The serial number of the article.'),
  unit: shortText.nullish().describe('The unit of `quantity`, such as `pcs` or `kg`.'),
  net: amount.nullish().describe('The price of the whole quantity, excluding taxes.'),
  gross: amount.nullish().describe('The price of the whole quantity, including taxes.'),
  unit_price: amount.nullish().describe('The price of one unit.'),
  gross_unit_price: amount.nullish().describe('The price of one unit, including taxes.'),
  net_unit_price: amount.nullish().describe('The price of one unit, excluding taxes.'),
  vat: postedVat.nullish().describe('The value-added tax on the item. Deprecated: use `taxes`.'),
  taxes: z.array(postedTax).optional().describe('The taxes on the item.'),
  discounts: z.array(postedDiscount).optional().describe('The discounts on the item.'),
  return: postedReturn.nullish().describe('The return of the item. Its presence marks a returned item.'),
  properties: freeObject('Other data about the item. Free-form, except for the members listed here.', {
    details,
  }).optional(),
  dynamic: freeObject(
    'Fields that you define. Those in the retailer setting `dynamic_fields.item` can be searched.',
  ).optional(),
});

/** An item of the receipt, with the translations of its name (docs/interface.md, "Translation alternatives"). */
export type PostedItem = z.output<typeof postedItemFields> & { [alternative: `name:${string}`]: string };

/**
 * The strict object above reports translations as unknown keys. This check removes well-formed translations from that
 * error, so that items without translations, the common case, have no extra cost. The objects inside an item report
 * their own unknown keys, which remain in the error, because none of their fields supports alternatives.
 */
const itemWithAlternatives = postedItemFields
  .superRefine((item, ctx) => {
    const place = ctx.issues.findIndex(
      ({ code, path = [] }) => code === 'unrecognized_keys' && path.length === 0,
    );
    const issue = ctx.issues[place];
    if (issue?.code !== 'unrecognized_keys') return;
    const posted = issue.input as Record<string, unknown>;
    const alternatives = issue.keys.filter((key) => key.startsWith(alternativeOfName));
    if (alternatives.length === 0) return;
    const keys = issue.keys.filter((key) => !key.startsWith(alternativeOfName));
    ctx.issues.splice(place, 1, ...(keys.length > 0 ? [{ ...issue, keys }] : []));
    for (const key of alternatives) {
      if (ctx.issues.length >= faultsMax) return;
      const value = posted[key];
      const fault = (code: string, message: string) =>
        ctx.addIssue({ code: 'custom', path: [key], message, params: { code } });
      if (!isTranslationTag(key.slice(alternativeOfName.length))) {
        fault(
          'invalid_alternative',
          'is not a language tag of RFC 5646 in its correct case, with underscores',
        );
      } else if (typeof value !== 'string') fault('invalid_type', wording.string);
      else (item as Record<string, unknown>)[key] = value;
    }
  }, always)
  .meta({
    patternProperties: translations,
  }) as unknown as z.ZodType<PostedItem, PostedItem>;

export const postedItem = withQuick(itemWithAlternatives, {
  acceptsOther: (key, value) =>
    typeof value === 'string' &&
    key.startsWith(alternativeOfName) &&
    isTranslationTag(key.slice(alternativeOfName.length)),
});
