import { defineQuery, type EventRecord } from '@receipts/kernel';
import { z } from 'zod';

/** Each comes with the whole receipt, several times over. */
export const toldAgainMax = 20;

/** Events are how others hear quickly. This is how they hear at all, when a broker has lost what it held. */
export const tellEventsAgain = defineQuery({
  name: 'receipt-store.tell-events-again',
  summary: 'Events of receipts, told again',
  description:
    'Internal. The public events of some receipts, with the ids, times and versions that they had. What they say of the receipt is what it is now, ' +
    'as nobody keeps what it was.',
  body: z.object({ ids: z.array(z.string()).min(1).max(toldAgainMax) }),
  output: z.object({ events: z.array(z.custom<EventRecord>()) }),
});
