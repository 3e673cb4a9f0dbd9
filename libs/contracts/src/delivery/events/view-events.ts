import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';
import { receiptFacts } from '../../receipt-store/events';

export const viewers = ['person', 'bot'] as const;
export type Viewer = (typeof viewers)[number];

/**
 * Tells retailers whether consumers view their receipts. Views by programs, such as link previews of chat programs, are
 * marked.
 */
export const receiptViewed = defineEvent({
  type: 'receipt.viewed',
  owner: 'delivery',
  collection: 'receipt_views',
  summary: 'A receipt was viewed',
  description:
    'The page or the PDF of the receipt was opened through its link. Link previews and other programs that identify themselves, and browsers that ' +
    'prefetch, count as `bot`. `sequence` counts the views of the receipt, not its versions.',
  data: receiptFacts.extend({
    viewer: z.enum(viewers).describe('Whether a person or a program has viewed the receipt.'),
    views: z.int().min(1).describe('The number of views by this kind of viewer, including this one.'),
    repeated: z.boolean().describe('Whether this kind of viewer has viewed the receipt before.'),
  }),
});
