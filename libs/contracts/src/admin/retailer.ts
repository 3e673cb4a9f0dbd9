import { z } from 'zod';
import { characters } from '../shared/characters';
import { retailerSettings } from './retailer-settings';

/** A retailer as other services receive it, with complete settings. */
export const retailer = z.object({
  id: z.string(),
  name: z.string(),
  vatno: z.string().nullable(),
  settings: retailerSettings,
  version: z.int(),
});
export type Retailer = z.output<typeof retailer>;

/** A retailer as the operator receives it. */
export const operatorRetailer = retailer.omit({ version: true });

export const postedRetailer = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]{2,40}$/, { error: 'must have 2 to 40 small letters, digits and hyphens' }),
  name: characters(1, 100),
  vatno: characters(1, 50).nullish(),
  settings: retailerSettings.optional(),
});

/** A retailer after a patch. Removed settings return to their defaults. */
export const patchedRetailer = postedRetailer.extend({ id: z.string(), settings: retailerSettings });

export const retailerParams = z.object({ id: z.string().max(100) });

export const retailerNotFound = { status: 404, code: 'not_found', description: 'there is no such retailer' };
