import type { ReturnedReceipt } from '@receipts/contracts';

/** What belongs to the retailer or names a person, on the receipt and on every part of it. */
const leftOut: ReadonlySet<string> = new Set([
  'properties',
  'dynamic',
  'identifier',
  'pos_data_ids',
  'attachments',
]);

type Payment = ReturnedReceipt['payments'][number];
type Details = NonNullable<Payment['details']>;

/** Of a card, only these facts are given away. */
const cardFactsLeftOut: ReadonlySet<string> = new Set([
  'type',
  'issue',
  'start',
  'end',
  'po_number',
  'entry_mode',
  'authorization_code',
  'terminal_id',
  'merchant_id',
  'aid',
  'arqc',
  'cvm',
  'rrn',
]);
const shownDigits = 4;

/** Whoever sees the number of a gift card can spend its balance. */
const lastDigits = (number: string) => [...number].slice(-shownDigits).join('');

function withoutCardFacts<T extends Details | Payment>(payment: T): T {
  const kept = Object.entries(payment).filter(([name]) => !cardFactsLeftOut.has(name));
  const { number } = payment;
  return { ...(Object.fromEntries(kept) as T), ...(number && { number: lastDigits(number) }) };
}

/** Left out on every level, because free-form objects may stand on each. */
function without(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(without);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !leftOut.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, without(member)]));
}

/** The receipt as its page shows it, with the names of `GET /receipts/{id}`. */
export function receiptJson(receipt: ReturnedReceipt): unknown {
  const payments = receipt.payments.map((payment) => {
    const kept = withoutCardFacts(payment);
    return kept.details ? { ...kept, details: withoutCardFacts(kept.details) } : kept;
  });
  return without({ ...receipt, payments });
}
