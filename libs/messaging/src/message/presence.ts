import { defineQuery, type Contract } from '@receipts/kernel';

/** Each process that consumes requests replies to this one. */
export const presence: Contract = defineQuery({
  name: 'messaging.presence',
  summary: 'Whether anybody consumes the queue',
  description: 'The reply is empty.',
});
