/**
 * The queues of durable subscriptions of the platform's services. Operators see the dead letters of these queues, of
 * those for one-way commands and of integrators' queues, even while a service is down.
 */
export const subscriptionQueues = {
  events: 'delivery.on-event',
  receiptsToSend: 'delivery.on-receipt-recorded-or-deleted',
  filtersToCheck: 'delivery.on-retailer-updated',
  passwordResets: 'delivery.on-password-reset-requested',
  alertCauses: 'delivery.on-alert-cause',
  receiptsToTotal: 'identifier.on-receipt-changed',
} as const;
