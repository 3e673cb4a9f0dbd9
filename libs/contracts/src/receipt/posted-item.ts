import { faultsMax, withQuick, wording } from '@receipts/kernel';
import { z } from 'zod';
import { always } from '../shared/schema-checks';
import { amount, dateTime, freeObject, shortText, quantity, text, wholeNumber } from './fields';
import { isTranslationTag } from './translation-tag';

export const postedTax = z.strictObject({
  name: z.string().regex(/^[a-z0-9_]+$/),
  rate: amount.nullish(),
  amount,
  code: shortText.nullish(),
  properties: freeObject().optional(),
});

export const postedVat = z.strictObject({ rate: amount, amount, code: shortText.nullish() });

export const postedDiscount = z.strictObject({
  name: text,
  quantity: wholeNumber.nullish(),
  amount,
  percentage: amount.nullish(),
  properties: freeObject().optional(),
});

export const postedReturn = z.strictObject({
  localtime: dateTime,
  reason: text.nullish(),
  properties: freeObject().optional(),
});

const details = {
  is: (value: unknown) =>
    typeof value === 'string' || (Array.isArray(value) && value.every((line) => typeof line === 'string')),
  message: 'must be a string or an array of strings',
  openapi: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
};

const alternativeOfName = 'name:';

/**
 * Translations of a name, for the API description. The type is defined by exclusion: with `type: string`, code
 * generators would assume strings for all members of the item.
 */
export const translations = {
  '^name:[A-Za-z0-9_]+$': {
    description:
      'The name in another language: a tag of RFC 5646 with underscores, each subtag in its correct case, such as `name:fr` or `name:de_AT`.',
    not: { type: ['object', 'array', 'number', 'boolean', 'null'] },
  },
};

/** All fields of an item except translations of its name, whose keys are variable: `name:fr`, `name:de_AT`. */
const itemFields = z.strictObject({
  name: text,
  quantity,
  total: amount,
  unit: shortText.nullish(),
  net: amount.nullish(),
  gross: amount.nullish(),
  unit_price: amount.nullish(),
  gross_unit_price: amount.nullish(),
  net_unit_price: amount.nullish(),
  vat: postedVat.nullish(),
  taxes: z.array(postedTax).optional(),
  discounts: z.array(postedDiscount).optional(),
  return: postedReturn.nullish(),
  properties: freeObject({ details }).optional(),
  dynamic: freeObject().optional(),
});

/** An item of the receipt, with the translations of its name (docs/interface.md, "Translation alternatives"). */
export type PostedItem = z.output<typeof itemFields> & { [alternative: `name:${string}`]: string };

/**
 * The strict object above reports translations as unknown keys. This check removes the well-formed ones from that
 * error, so that items without translations, the common case, have no extra cost. The objects inside an item report
 * their own unknown keys, which stay: none of their fields supports alternatives.
 */
const itemWithAlternatives = itemFields
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
