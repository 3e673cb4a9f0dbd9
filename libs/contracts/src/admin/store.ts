import { z } from 'zod';
import { characters } from '../shared/characters';
import { keyText } from '../shared/key-text';
import { returnedLike } from '../shared/returned-like';
import { checkOpeningHours } from './opening-hours';
import {
  anyJsonField,
  countryField,
  currencyField,
  canonicalLocaleField,
  timeZoneField,
  timestampField,
} from '../shared/fields';

const storeReference = z.int().min(1);

const storeShape = {
  external_reference: keyText
    .nullish()
    .describe('Your own name for the store, unique per retailer. Receipts may use it to identify the store.'),
  name: characters(1, 100).describe('The name of the store, shown on receipts.'),
  address: z.array(characters(0, 255)).max(20).nullish().describe('The lines of the street address.'),
  city: characters(1, 60).nullish().describe('The city of the store.'),
  postcode: characters(1, 10).nullish().describe('The postcode of the store.'),
  country: countryField.describe('The country, an ISO 3166-1 alpha-3 code such as `FRA`.'),
  phone: characters(1, 20).nullish().describe('The phone number of the store.'),
  vatno: characters(1, 50)
    .nullish()
    .describe('The VAT number of the store’s legal entity, shown instead of the retailer’s.'),
  company: characters(1, 255)
    .nullish()
    .describe('The name of the store’s legal entity, shown instead of the retailer’s.'),
  locale: canonicalLocaleField
    .nullish()
    .describe('The language and region of receipts of this store. Defaults to that of the retailer.'),
  timezone: timeZoneField
    .nullish()
    .describe('The time zone of the store, an IANA name. Defaults to that of the retailer.'),
  currency: currencyField
    .nullish()
    .describe('The currency of receipts of this store, an ISO 4217 code. Defaults to that of the retailer.'),
  properties: anyJsonField.optional().describe('Other data about the store. Free-form.'),
  settings: anyJsonField
    .superRefine(checkOpeningHours)
    .optional()
    .describe(
      'Settings of your own systems for this store. Free-form, except for `opening_hours`: `{"mon": ["08:00-12:30", "14:00-20:00"], …}`, with the days `mon` to `sun` and times in the time zone of the store. A range such as `18:00-02:00` ends on the following day, and a day that is missing is one on which the store is closed. Tills count as silent only within these hours.',
    ),
};

/** A store as posted, alone or with a receipt. `null` is equivalent to a missing field. */
export const postedStore = z.strictObject({
  reference: storeReference
    .nullish()
    .describe(
      'The number of the store, unique per retailer. If it is missing, the next free number is assigned.',
    ),
  ...storeShape,
});
export type PostedStore = z.output<typeof postedStore>;

/** A store after a patch. Its reference cannot be removed. */
export const patchedStore = z.strictObject({
  id: z.int(),
  reference: storeReference,
  ...storeShape,
  updated_timestamp: z.string(),
});

/** A store as returned: all fields are present, `null` if they were not given. */
export const store = returnedLike(postedStore, {
  id: z.int().describe('The id of the store, which never changes.'),
  reference: z.int().describe('The number of the store, unique per retailer.'),
  external_reference: z.string().nullable(),
  name: z.string(),
  address: z.array(z.string()),
  city: z.string().nullable(),
  postcode: z.string().nullable(),
  country: z.string(),
  phone: z.string().nullable(),
  vatno: z.string().nullable(),
  company: z.string().nullable(),
  locale: z.string().nullable(),
  timezone: z.string().nullable(),
  currency: z.string().nullable(),
  properties: z.unknown(),
  settings: z.unknown(),
  updated_timestamp: timestampField.describe('When the store last changed.'),
});
export type Store = z.output<typeof store>;

/** A store as other services receive it. */
export const storeRecord = store.extend({
  retailer: z.string().describe('The id of the retailer that owns the store.'),
  version: z.int().describe('The version of the store, from 1. It increases with every change.'),
});
export type StoreRecord = z.output<typeof storeRecord>;

export const storeParams = z.object({
  reference: z
    .string()
    .max(1024)
    .meta({
      description: 'The `reference` of the store, or its `external_reference`, percent-encoded.',
      examples: ['1'],
    }),
});

export const storeExists = {
  status: 409,
  code: 'store_exists',
  description: 'a store with this reference already exists',
};
export const noSuchStore = { status: 404, code: 'not_found', description: 'store not found' };
