import { defineEvent } from '@receipts/kernel';
import { storeRecord } from './store';

export const storeCreated = defineEvent({
  type: 'store.created',
  owner: 'admin',
  collection: 'stores',
  summary: 'A store was created',
  description: 'The data contains the complete store.',
  data: storeRecord,
});

export const storeUpdated = defineEvent({
  type: 'store.updated',
  owner: 'admin',
  collection: 'stores',
  summary: 'A store was changed',
  description: 'The data contains the complete store after the change.',
  data: storeRecord,
});
