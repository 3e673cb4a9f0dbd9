import { defineQuery, flag } from '@receipts/kernel';
import { z } from 'zod';
import { operatorRetailer, retailerNotFound, retailerParams } from './retailer';

export const getRetailer = defineQuery(
  {
    name: 'admin.get-retailer',
    summary: 'Get a retailer',
    description: 'The settings show every member, also those that have their default.',
    http: { method: 'GET', path: '/operator/retailers/{id}', access: 'operator', success: 200 },
    params: retailerParams,
    query: z.object({ pretty: flag('Readable formatting').optional() }),
    output: operatorRetailer,
    meta: z.object({ etag: z.string() }),
    errors: [retailerNotFound],
  },
  { answer: ({ etag }) => ({ headers: { etag } }) },
);
