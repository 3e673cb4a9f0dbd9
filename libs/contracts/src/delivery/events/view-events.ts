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
    'Its page or its PDF was opened over its link. Programs that say what they are, such as those which make previews of links, and ' +
    'browsers that fetch in advance are a `bot`. `sequence` counts the views of a receipt, not its versions.',
  data: receiptFacts.extend({
    viewer: z.enum(viewers),
    views: z
      .int()
      .min(1)
      .meta({ description: 'How often this kind of viewer has seen the receipt, with this view.' }),
    repeated: z.boolean().meta({ description: 'False for the first view of this kind of viewer.' }),
  }),
});
