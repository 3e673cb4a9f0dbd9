import { z } from 'zod';
import { retailerSettings } from './retailer-settings';

export const retailerIdField = z.string().regex(/^[a-z0-9-]{2,40}$/);
export const retailerNameField = z.string().min(1).max(100);
export const vatnoField = z.string().min(1).max(50).nullable();

/** A retailer as services see it: the settings are complete. */
export const retailer = z.object({
  id: z.string(),
  name: z.string(),
  vatno: z.string().nullable(),
  settings: retailerSettings,
  version: z.int(),
});

export type Retailer = z.output<typeof retailer>;

/** A retailer as the operator sees it. */
export const operatorRetailer = retailer.omit({ version: true });

/** What a patch may make of a retailer; `id` is checked apart. */
export const retailerBody = z.strictObject({
  name: retailerNameField,
  vatno: vatnoField.optional(),
  settings: retailerSettings.optional(),
});

export const retailerParams = z.object({ id: z.string().max(100) });

export const retailerNotFound = { status: 404, code: 'not_found', description: 'there is no such retailer' };
