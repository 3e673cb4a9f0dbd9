import { z } from 'zod';
import { readDateTime } from '../receipt';
import { commaSeparatedList, refuse, text } from '../shared/query-parameters';

/** The groups of totals, besides the currency, which always applies. */
export const totalsGroups = ['day', 'store', 'till', 'currency'] as const;
export type TotalsGroup = (typeof totalsGroups)[number];

/** The maximum range of a query. */
export const totalsDaysMax = 366;

export const mustBeDay = 'must be a date, YYYY-MM-DD';
export const isDay = (value: string) => readDateTime(`${value}T00:00:00`) !== undefined;

function day(description: string) {
  const base = text({ max: 10, description, example: '2026-03-14' });
  const checked = base.transform((value, ctx): string =>
    isDay(value) ? value : refuse(ctx, 'invalid_format', mustBeDay),
  );
  return checked.meta({ ...base.meta(), parameter: { type: 'string', format: 'date' } });
}

const groupList = commaSeparatedList({
  max: totalsGroups.length,
  description:
    'What the totals are grouped by, separated by commas: `day`, `store`, `till`, `currency`. Different currencies are never added up, so `currency` only affects the order.',
  example: 'day,store',
});

const groupBy = groupList.transform((members, ctx): TotalsGroup[] => {
  const known = members.filter((member): member is TotalsGroup =>
    (totalsGroups as readonly string[]).includes(member),
  );
  if (known.length === members.length) return [...new Set(known)];
  return refuse(ctx, 'invalid_value', `must be a list of ${totalsGroups.join(', ')}`);
});

/** The time of a report. */
export const reportTime = z
  .string()
  .meta({ format: 'date-time', description: 'The time up to which all receipts are included.' });

/** The receipts that a report is about. */
export const reportQuery = z.object({
  from: day(
    'The first day, in the time zones of the stores. Defaults to today in the time zone of the retailer.',
  ).optional(),
  to: day(
    'The last day. The range can have at most 366 days. Defaults to today in the time zone of the retailer.',
  ).optional(),
  store_reference: commaSeparatedList({
    max: 20,
    description:
      'Only include receipts from the stores with these references or external references, separated by commas.',
    example: '1',
  }).optional(),
  till_uuid: commaSeparatedList({
    max: 20,
    description: 'Only include receipts from the tills with these ids, separated by commas.',
    example: '9b2f3c1e-5a64-4d0e-8f5b-0c1d2e3f4a5b',
  }).optional(),
});
export type ReportQuery = z.output<typeof reportQuery>;

export const totalsQuery = reportQuery.extend({
  group_by: groupBy.meta({ ...groupList.meta() }).default(['day', 'store']),
});
export type TotalsQuery = z.output<typeof totalsQuery>;

const count = (description: string) => z.int().describe(description);
const amount = (description: string) => z.number().describe(description);
const localtime = (description: string) => z.string().nullable().meta({ format: 'date-time', description });

const tax = z.strictObject({
  name: z.string().describe('The name of the tax.'),
  rate: z.number().nullable().describe('The rate of the tax in percent; `null` if none was posted.'),
  amount: amount('The sum of the tax over the receipts.'),
});

const payment = z.strictObject({
  method: z.string().describe('The payment method.'),
  currency: z
    .string()
    .describe('The currency of the payments, an ISO 4217 code. It may differ from that of the receipts.'),
  count: count('The number of payments.'),
  amount: amount('The sum of the payments, less the change given.'),
});

export const totalsRow = z.strictObject({
  day: z
    .string()
    .optional()
    .meta({ format: 'date', description: 'The date of `localtime`. Present if grouped by `day`.' }),
  store_reference: z
    .string()
    .optional()
    .describe('The store, as stated on the receipts. Present if grouped by `store`.'),
  till_uuid: z
    .string()
    .nullable()
    .optional()
    .describe('The till; `null` for receipts without a till. Present if grouped by `till`.'),
  currency: z
    .string()
    .describe(
      'The currency of the receipts and of all amounts except those in `payments`, an ISO 4217 code.',
    ),
  receipts: count('The number of receipts, excluding duplicates and voided or deleted receipts.'),
  items: count('The number of items on the receipts.'),
  total: amount('The sum of the totals, exact to the last digit.'),
  net: z.number().nullable().describe('The sum of the net totals; `null` if no receipt has a net total.'),
  discounts: amount('The sum of the discounts on receipts and items, with their signs as posted.'),
  charges: amount('The sum of the charges on receipts.'),
  tips: amount('The sum of the tips that were paid in the currency of the receipts.'),
  returns: z
    .strictObject({
      items: count('The number of items with `return` or a negative quantity.'),
      total: amount('The sum of the totals of these items, with their signs as posted.'),
    })
    .describe('The returned items.'),
  voids: z
    .strictObject({
      receipts: count('The number of voided receipts.'),
      total: amount('The sum of the totals of these receipts.'),
    })
    .describe('The voided receipts, which are not included in any other figure.'),
  taxes: z.array(tax).describe('The taxes on the receipts, one entry per name and rate.'),
  payments: z.array(payment).describe('The payments, one entry per method and currency.'),
  first_localtime: localtime('The `localtime` of the earliest receipt; `null` if all are voided.'),
  last_localtime: localtime('The `localtime` of the latest receipt; `null` if all are voided.'),
});
export type TotalsRow = z.output<typeof totalsRow>;

export const totalsExample: TotalsRow = {
  day: '2026-03-14',
  store_reference: '1',
  currency: 'EUR',
  receipts: 412,
  items: 1206,
  total: 18_733.15,
  net: 15_610.96,
  discounts: -310.4,
  charges: 42,
  tips: 12.5,
  returns: { items: 9, total: -214.5 },
  voids: { receipts: 2, total: 31.8 },
  taxes: [{ name: 'vat', rate: 20, amount: 3122.19 }],
  payments: [
    { method: 'card', currency: 'EUR', count: 301, amount: 15_020.4 },
    { method: 'cash', currency: 'EUR', count: 116, amount: 3672.75 },
    { method: 'cash', currency: 'USD', count: 2, amount: 44.2 },
  ],
  first_localtime: '2026-03-14T09:01:12+01:00',
  last_localtime: '2026-03-14T19:58:40+01:00',
};
