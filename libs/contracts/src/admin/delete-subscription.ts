import { defineCommand } from '@receipts/kernel';
import {
  brokerManagementMissing,
  subscriptionNotFound,
  subscriptionParams,
  subscriptionTimeoutMs,
} from './subscription';

export const deleteSubscription = defineCommand({
  name: 'admin.delete-subscription',
  summary: "Take the queue of events from a retailer's integrator",
  description: 'Ends its connections, and removes its user and the queue with all that waits in it.',
  http: {
    method: 'DELETE',
    path: '/operator/retailers/{id}/subscriptions/{name}',
    access: 'operator',
    success: 204,
  },
  params: subscriptionParams,
  errors: [subscriptionNotFound, brokerManagementMissing],
  timeoutMs: subscriptionTimeoutMs,
});
