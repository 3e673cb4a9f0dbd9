import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { returnedReceipt, type ReturnedItem } from '../receipt';
import { giftEnded, giftNotFound } from './gift-errors';
import { giftId } from './create-gift-receipt';

const { localtime, l10n, store } = returnedReceipt.shape;

/** With the translations of its name. */
type GiftItem = Pick<ReturnedItem, 'name' | 'quantity' | 'unit'> & Record<`name:${string}`, string>;

const giftItem = z.looseObject({
  name: z.string(),
  quantity: z.number(),
  unit: z.string().nullable(),
}) as unknown as z.ZodType<GiftItem, GiftItem>;

/**
 * All that the recipient of a gift may learn. The service that renders it gets nothing else, so that nothing else can
 * be on the page.
 */
const giftReceipt = z.object({
  gift_id: giftId,
  localtime,
  l10n: l10n.pick({ locale: true, translation_locale: true }),
  store: store.pick({ name: true, company: true, address: true, postcode: true, city: true, phone: true }),
  retailer: z.object({ name: z.string() }),
  items: z.array(giftItem),
  message: z.string().nullable(),
  until: z.string().nullable(),
});

export type GiftReceipt = z.output<typeof giftReceipt>;

export const findGiftReceipt = defineQuery({
  name: 'receipt-store.find-gift-receipt',
  summary: 'Find a gift receipt',
  description: 'Internal. Returns what the page and the PDF of a gift receipt show.',
  body: z.object({
    receipt_id: z.string(),
    /** The version of the receipt that the gift receipt has created. */
    version: z.int(),
  }),
  output: giftReceipt,
  errors: [giftNotFound, giftEnded],
});
