import { z } from 'zod';
import { characters } from '../shared/characters';
import { keyText } from '../shared/names';
import {
  anyJsonField,
  countryField,
  currencyField,
  localeField,
  timeZoneField,
  timestampField,
} from '../shared/fields';

const storeReference = z.int().min(1);

const storeShape = {
  external_reference: keyText.nullish(),
  name: characters(1, 100),
  address: z.array(characters(0, 255)).max(20).nullish(),
  city: characters(1, 60).nullish(),
  postcode: characters(1, 10).nullish(),
  country: countryField,
  phone: characters(1, 20).nullish(),
  locale: localeField.nullish(),
  timezone: timeZoneField.nullish(),
  currency: currencyField.nullish(),
  properties: anyJsonField.optional(),
  settings: anyJsonField.optional(),
};

/** A store as posted, alone or with a receipt. `null` is equivalent to a missing field. */
export const postedStore = z.strictObject({ reference: storeReference.nullish(), ...storeShape });
export type PostedStore = z.output<typeof postedStore>;

/** A store after a patch. Its reference cannot be removed. */
export const patchedStore = z.strictObject({
  id: z.int(),
  reference: storeReference,
  ...storeShape,
  updated_timestamp: z.string(),
});

/** A store as returned: all fields are present, `null` if they were not given. */
export const store = z.object({
  id: z.int(),
  reference: z.int(),
  external_reference: z.string().nullable(),
  name: z.string(),
  address: z.array(z.string()),
  city: z.string().nullable(),
  postcode: z.string().nullable(),
  country: z.string(),
  phone: z.string().nullable(),
  locale: z.string().nullable(),
  timezone: z.string().nullable(),
  currency: z.string().nullable(),
  properties: z.unknown(),
  settings: z.unknown(),
  updated_timestamp: timestampField,
});
export type Store = z.output<typeof store>;

/** A store as other services receive it. */
export const storeRecord = store.extend({ retailer: z.string(), version: z.int() });
export type StoreRecord = z.output<typeof storeRecord>;

export const storeParams = z.object({ reference: z.string().max(1024) });

export const storeExists = {
  status: 409,
  code: 'store_exists',
  description: 'a store with this reference exists',
};
export const noSuchStore = { status: 404, code: 'not_found', description: 'there is no such store' };
