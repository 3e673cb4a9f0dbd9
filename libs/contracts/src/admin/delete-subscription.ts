import { defineCommand } from '@receipts/kernel';
import {
  brokerManagementMissing,
  subscriptionNotFound,
  subscriptionParams,
  subscriptionTimeoutMs,
} from './subscription';

export const deleteSubscription = defineCommand({
  name: 'admin.delete-subscription',
  summary: "Delete a queue for a retailer's events",
  description:
    'Closes the connections of the consumer, and deletes its user and its queue with all events in it.',
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
