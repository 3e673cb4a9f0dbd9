import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { dynamicFieldsSettings } from '../admin/retailer-settings';

/** Used before settings change, because an invalid filter stops its endpoint. */
export const findInvalidatedFilters = defineQuery({
  name: 'delivery.find-invalidated-filters',
  summary: 'Find webhook endpoints whose filters a change of the settings makes invalid',
  description:
    "Internal. Returns the ids of the calling retailer's endpoints, enabled or not, whose filter is valid with the dynamic fields `before`, but not with those `after`.",
  body: z.object({ before: dynamicFieldsSettings, after: dynamicFieldsSettings }),
  output: z.object({ endpoints: z.array(z.string()) }),
});
