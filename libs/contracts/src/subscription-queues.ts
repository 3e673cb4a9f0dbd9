/**
 * The queues of durable subscriptions. Besides the queues for one-way commands, they are the only queues with dead
 * letters, so operators see the dead letters of every service, even while the service is down.
 */
export const subscriptionQueues = {
  events: 'delivery.on-event',
  receiptsToSend: 'delivery.on-receipt-recorded-or-deleted',
  filtersToCheck: 'delivery.on-retailer-updated',
  passwordResets: 'delivery.on-password-reset-requested',
  alertCauses: 'delivery.on-alert-cause',
  receiptsToTotal: 'identifier.on-receipt-changed',
} as const;
