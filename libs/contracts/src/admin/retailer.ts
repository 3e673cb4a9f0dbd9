import { z } from 'zod';
import { characters } from '../shared/characters';
import { returnedLike } from '../shared/returned-like';
import { retailerSettings } from './retailer-settings';

const name = characters(1, 100).describe('The name of the retailer, shown on receipts.');
const vatno = characters(1, 50).nullish().describe('The VAT number of the retailer, shown on receipts.');

export const postedRetailer = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9-]{2,40}$/, { error: 'must have 2 to 40 lower-case letters, digits and hyphens' })
    .describe('The id of the retailer: 2 to 40 lower-case letters, digits and hyphens. It never changes.'),
  name,
  vatno,
  settings: retailerSettings.optional(),
});

/** A retailer as other services receive it, with complete settings. */
export const retailer = returnedLike(postedRetailer, {
  id: z.string(),
  name: z.string(),
  vatno: z.string().nullable(),
  settings: retailerSettings,
  version: z.int().describe('The version of the retailer, from 1. It increases with every change.'),
});
export type Retailer = z.output<typeof retailer>;

/** A retailer as the operator receives it. */
export const operatorRetailer = retailer.omit({ version: true });

/** A retailer after a patch. Removed settings return to their defaults. */
export const patchedRetailer = postedRetailer.extend({ id: z.string(), settings: retailerSettings });

export const retailerParams = z.object({
  id: z
    .string()
    .max(100)
    .meta({ description: 'The id of the retailer.', examples: ['demo'] }),
});

export const retailerNotFound = { status: 404, code: 'not_found', description: 'retailer not found' };
