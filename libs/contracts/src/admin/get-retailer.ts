import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { operatorRetailer, retailerNotFound, retailerParams } from './retailer';

export const getRetailer = defineQuery(
  {
    name: 'admin.get-retailer',
    summary: 'Get a retailer',
    description: 'Returns the retailer with all settings, including those with their default values.',
    http: { method: 'GET', path: '/operator/retailers/{id}', access: 'operator', success: 200 },
    params: retailerParams,
    output: operatorRetailer,
    meta: z.object({ etag: z.string() }),
    errors: [retailerNotFound],
  },
  { response: ({ etag }) => ({ headers: { etag } }) },
);
