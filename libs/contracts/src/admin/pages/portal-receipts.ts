import { invalidParameter, permissionDenied } from '@receipts/kernel';
import { z } from 'zod';
import { checkCodes } from '../../shared/checks';
import { choice, text } from '../../shared/query-parameters';
import { chosenIds, csrf, doneParameter, portalPages } from './browser-pages';

/** The pages on which the retailer's staff find receipts and act on them. */
const { page: portalPage, form: portalForm } = portalPages;

/** The search language belongs to receipts, whose contracts use those of admin. */
const invalidQuery = { status: 400, code: 'invalid_query', description: 'invalid query' };

/** Not 503: the same search would take as long again. */
const searchTooSlow = { status: 422, code: 'search_too_slow', description: 'the search took too long' };

const searched = (description: string, example: string, max = 200) =>
  text({ min: 0, max, description, example }).optional();
const receiptParams = z.object({
  id: z
    .string()
    .max(100)
    .meta({ description: 'The id of the receipt.', examples: ['6a1f3c2b9d4e5f60718293a4'] }),
});

const listFields = {
  query: searched(
    'Words that a receipt must contain, or a query in the search language.',
    'coffee 12.50',
    2000,
  ),
  store: searched('Only show receipts from the store with this reference.', '1'),
  from: searched('The first day of sale.', '2026-03-01', 10),
  to: searched('The last day of sale.', '2026-03-31', 10),
  mark: choice(
    ['any', 'voided', 'return', 'duplicate', 'check', 'sent', 'unsent', 'notDelivered'],
    'Only show receipts with this mark; `check` stands for receipts that do not add up, `unsent` for receipts that nobody tried to send, `notDelivered` for receipts that no channel has accepted.',
  ).optional(),
  least: searched('The lowest total.', '10', 20),
  most: searched('The highest total.', '20', 20),
  sort: choice(
    ['sold', 'arrived'],
    'Whether receipts are sorted by time of sale or by arrival. Defaults to `sold`.',
  ).optional(),
};

export const portalHome = portalPage({
  name: 'portal-home',
  summary: 'find receipts',
  path: '/portal',
  trailingSlash: true,
  query: z.object({
    ...listFields,
    older: searched('The position of the row before the page, for the older receipts.', '1773_42', 64),
    newer: searched('The position of the row after the page, for the newer receipts.', '1773_42', 64),
    done: doneParameter,
  }),
});

export const portalReceiptsCsv = portalPage({
  name: 'portal-receipts-csv',
  summary: 'the receipts shown, as a file',
  path: '/portal/receipts.csv',
  query: z.object({
    ...listFields,
    part: z
      .string()
      .optional()
      .meta({ internal: true, description: 'The position of the last row of the previous part.' }),
  }),
  errors: [permissionDenied, invalidQuery, invalidParameter, searchTooSlow],
  produces: ['text/csv'],
});

export const portalSearches = portalForm({
  name: 'portal-searches',
  summary: 'save or delete a search',
  path: '/portal/searches',
  body: z.object({
    csrf,
    action: z.enum(['save', 'delete']).describe('Whether to save the search, or to delete it.'),
    name: z.string().max(100).describe('The name of the search.'),
    address: z
      .string()
      .max(3000)
      .optional()
      .describe('The filters of the search, as in the address of its page.'),
  }),
});

export const portalSendReceipts = portalForm({
  name: 'portal-send-receipts',
  summary: 'send several receipts again',
  path: '/portal/receipts/send',
  body: z.object({ csrf, ids: chosenIds('The ids of the chosen receipts.') }),
});

export const portalSentReceipts = portalPage({
  name: 'portal-sent-receipts',
  summary: 'what became of receipts that were sent together',
  path: '/portal/receipts/sent',
  query: z.object({
    ids: searched('The ids of the receipts, separated by commas.', '6a1f3c2b9d4e5f60718293a4', 2000),
    rejected: searched(
      'The ids of the receipts that could not be sent, each with the code of its error.',
      '6a1f3c2b9d4e5f60718293a4~receipt_voided',
      3000,
    ),
  }),
  errors: [permissionDenied],
});

export const portalReceipt = portalPage({
  name: 'portal-receipt',
  summary: 'a receipt',
  path: '/portal/receipts/{id}',
  query: z.object({ done: doneParameter }),
  params: receiptParams,
});

export const portalSend = portalForm({
  name: 'portal-send',
  summary: 'send a receipt again',
  path: '/portal/receipts/{id}/send',
  params: receiptParams,
  body: z.object({
    csrf,
    email: z.string().max(254).describe('The e-mail address to which the receipt is sent.'),
  }),
});

export const portalAssign = portalForm({
  name: 'portal-assign',
  summary: 'assign a receipt',
  path: '/portal/receipts/{id}/assign',
  params: receiptParams,
  body: z.object({
    csrf,
    identifier: z.string().max(255).describe('The consumer to whom the receipt is assigned.'),
    /** Set by the confirmation page. */
    confirmed: z.string().max(10).optional().describe('Present if the user has confirmed the assignment.'),
  }),
});

export const portalGift = portalForm({
  name: 'portal-gift',
  summary: 'create a gift receipt',
  path: '/portal/receipts/{id}/gift',
  params: receiptParams,
  body: z.object({ csrf }),
});

export const portalUnassign = portalForm({
  name: 'portal-unassign',
  summary: 'undo the assignment of a receipt',
  path: '/portal/receipts/{id}/unassign',
  params: receiptParams,
  body: z.object({
    csrf,
    identifier: z.string().max(255).describe('The consumer to whom the receipt was assigned.'),
  }),
});

export const portalReceiptAction = portalForm({
  name: 'portal-receipt-action',
  summary: 'void, erase or delete a receipt, or add a note',
  path: '/portal/receipts/{id}/actions',
  params: receiptParams,
  body: z.object({
    csrf,
    action: z
      .enum(['void', 'erase', 'delete', 'note'])
      .describe('What to do with the receipt; `erase` removes all data of its consumer.'),
    text: z
      .string()
      .max(1000)
      .optional()
      .describe('The reason for voiding the receipt, or the text of the note.'),
    confirmed: z.string().max(10).optional().describe('Present if the user has confirmed the action.'),
  }),
});

export const portalReturnPage = portalPage({
  name: 'portal-return-page',
  summary: 'choose the items that are returned',
  path: '/portal/receipts/{id}/return',
  params: receiptParams,
});

export const portalReturn = portalForm({
  name: 'portal-return',
  summary: 'return items of a receipt',
  path: '/portal/receipts/{id}/return',
  params: receiptParams,
  body: z.object({
    csrf,
    quantities: z
      .union([z.string().max(30), z.array(z.string().max(30)).max(1000)])
      .optional()
      .describe('The quantity of each returnable item that is returned, in the order of the items.'),
    method: z.string().max(64).describe('How the amount is paid back.'),
    reason: z.string().max(255).optional().describe('Why the items are returned.'),
    transaction_id: z.string().max(255).describe('The number of the return.'),
    confirmed: z.string().max(10).optional().describe('Present if the user has confirmed the return.'),
  }),
});

export const portalChecks = portalPage({
  name: 'portal-checks',
  summary: 'receipts that do not add up',
  path: '/portal/checks',
  query: z.object({
    from: searched('The first day.', '2026-03-01', 10),
    to: searched('The last day.', '2026-03-31', 10),
    store: searched('Only show receipts from the store with this reference.', '1'),
    till: searched('Only show receipts from this till.', '00f3-1'),
    code: choice(['any', ...checkCodes], 'Only show receipts that fail this check.').optional(),
  }),
});
