import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { retailerNotFound, retailerParams } from './retailer';
import { brokerManagementMissing, subscription } from './subscription';

/** Lists the integrators that consume a retailer's events from the broker. */
export const listSubscriptions = defineQuery({
  name: 'admin.list-subscriptions',
  summary: "List the queues for a retailer's events",
  description: 'Returns the subscriptions of a retailer, at most 20, without passwords.',
  http: { method: 'GET', path: '/operator/retailers/{id}/subscriptions', access: 'operator', success: 200 },
  params: retailerParams,
  output: z.object({
    subscriptions: z.array(subscription).describe('The subscriptions of the retailer, sorted by name.'),
  }),
  errors: [retailerNotFound, brokerManagementMissing],
});
