import { defineEvent } from '@receipts/kernel';
import { retailer } from './retailer';

export const retailerUpdated = defineEvent({
  type: 'retailer.updated',
  owner: 'admin',
  collection: 'settings',
  summary: 'A retailer or its settings changed',
  description:
    'The data contains the complete settings. The event is also published when a retailer is created.',
  data: retailer,
});
