import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import { operatorRetailer, postedRetailer } from './retailer';

export const retailerExists = {
  status: 409,
  code: 'retailer_exists',
  description: 'a retailer with this id already exists',
};

/** The first credential of the retailer is created afterwards by `admin.create-first-client`. */
export const createRetailer = defineCommand(
  {
    name: 'admin.create-retailer',
    summary: 'Create a retailer',
    description:
      'Creates a retailer. Missing settings take their defaults; the response contains all of them.',
    http: { method: 'POST', path: '/operator/retailers', access: 'operator', success: 201 },
    body: json(postedRetailer),
    output: operatorRetailer,
    meta: z.object({ id: z.string(), etag: z.string() }),
    errors: [retailerExists],
    examples: { request: { id: 'demo', name: 'Demo', settings: { timezone: 'Europe/Paris' } } },
  },
  { response: ({ id, etag }) => ({ headers: { location: `/operator/retailers/${id}`, etag } }) },
);
