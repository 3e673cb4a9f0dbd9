import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { consumerParameter } from '../shared/fields';
import { text } from '../shared/query-parameters';
import { getReturnable } from './get-returnable';
import { giftEnded, giftNotFound } from './gift-errors';

/** For the returns desk, which scans the returns code of a gift receipt. */
export const getGiftReturnable = defineQuery({
  name: 'receipt-store.get-gift-returnable',
  summary: 'Get the returnable items of a gift receipt',
  description:
    'Returns the same as `GET /receipts/{id}/returnable`, but only the items of the gift receipt with this returns code.',
  permission: 'view.get_receipt',
  forStores: 'confined',
  forConsumers: 'confined',
  http: { method: 'GET', path: '/receipts/returnable', success: 200, consumerScoped: true },
  query: z.object({
    gift_id: text({
      max: 100,
      description: 'The returns code of the gift receipt.',
      example: '0000123456789012345678901234567890',
    }),
    consumer: consumerParameter,
  }),
  output: getReturnable.output,
  errors: [giftNotFound, giftEnded],
});
