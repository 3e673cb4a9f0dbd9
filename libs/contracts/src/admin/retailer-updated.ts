import { defineEvent } from '@receipts/kernel';
import { retailer } from './retailer';

export const retailerUpdated = defineEvent({
  type: 'retailer.updated',
  owner: 'admin',
  collection: 'settings',
  summary: 'A retailer or its settings changed',
  description: 'Also said when the retailer is created. Carries the complete settings.',
  data: retailer,
});
