import { defineQuery, flag } from '@receipts/kernel';
import { z } from 'zod';
import { retailerNotFound, retailerParams } from './retailer';
import { brokerManagementMissing, subscription } from './subscription';

/** Lists the integrators that consume a retailer's events from the broker. */
export const listSubscriptions = defineQuery({
  name: 'admin.list-subscriptions',
  summary: "List the queues of events of a retailer's integrators",
  description: 'By name; a retailer has at most 20. Passwords are not shown.',
  http: { method: 'GET', path: '/operator/retailers/{id}/subscriptions', access: 'operator', success: 200 },
  params: retailerParams,
  query: z.object({ pretty: flag('Readable formatting').optional() }),
  output: z.object({ subscriptions: z.array(subscription) }),
  errors: [retailerNotFound, brokerManagementMissing],
});
