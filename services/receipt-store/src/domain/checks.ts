import { minorDigits, type CheckCode, type ReturnedItem, type ReturnedReceipt } from '@receipts/contracts';
import { groupBy } from '@receipts/concurrency';
import {
  decimalOf,
  isAtMost,
  negated,
  plus,
  printDecimal,
  times,
  zero,
  type Decimal,
} from '@receipts/kernel';
import { fiscalFindings } from './fiscal/fiscal-findings';

/** A check that failed. The values are JSON; numbers have all their digits. */
export interface FailedCheck {
  readonly code: CheckCode;
  /** The JSON Pointer of the actual value. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

/** A term of a sum: a number, or the product of two numbers. */
type Addend = number | readonly [number, number];

interface Comparison {
  readonly code: CheckCode;
  readonly path: string;
  readonly addends: readonly Addend[];
  readonly actual: readonly number[];
  /** Alternative sums that are also accepted. */
  readonly orElse?: readonly Addend[];
}

const amounts = (all: readonly { readonly amount: number }[]) => all.map(({ amount }) => amount);
const valueOf = (addend: Addend) => (typeof addend === 'number' ? addend : addend[0] * addend[1]);
const exactly = (addend: Addend): Decimal =>
  typeof addend === 'number' ? decimalOf(addend) : times(decimalOf(addend[0]), decimalOf(addend[1]));
const sumOf = (addends: readonly Addend[]) => addends.map(exactly).reduce(plus, zero);

function itemsTotal({ items, discounts, charges, subtotal, total }: ReturnedReceipt): Comparison {
  const totals = items.map((item) => item.total);
  const code = 'items_total';
  // The subtotal is the sum before the discounts and charges of the receipt.
  return subtotal === null
    ? {
        code,
        path: '/total',
        addends: [...totals, ...amounts(discounts), ...amounts(charges)],
        actual: [total],
      }
    : { code, path: '/subtotal', addends: totals, actual: [subtotal] };
}

/** Does not apply to a receipt without payments, or with a payment in another currency. */
function* paymentsTotal({ payments, total, l10n }: ReturnedReceipt): Generator<Comparison> {
  if (payments.length === 0) return;
  if (payments.some(({ currency }) => currency !== null && currency !== l10n.currency)) return;
  const found = (name: 'change' | 'rounding') =>
    payments.flatMap((payment) => payment[name] ?? payment.details?.[name] ?? []);
  const tips = payments.flatMap(({ tip }) => tip ?? []);
  const paid = [...amounts(payments), ...[...found('change'), ...tips].map((amount) => -amount)];
  const roundings = found('rounding');
  const comparison = {
    ...({ code: 'payments_total', path: '/total', actual: [total] } as const),
    addends: [...paid, ...roundings],
  };
  // Some tills post the amount added to the total, others the amount added to the payment.
  yield roundings.length === 0
    ? comparison
    : { ...comparison, orElse: [...paid, ...roundings.map((rounding) => -rounding)] };
}

const taxKey = ({ name, rate }: ReturnedReceipt['taxes'][number]) => `${rate}\n${name}`;

/** Compares each name and rate that both the receipt and its items or charges have. */
function* taxesTotal({ taxes, items, charges }: ReturnedReceipt): Generator<Comparison> {
  if (taxes.length === 0) return;
  const ofItems = groupBy(
    [...items, ...charges].flatMap((one) => one.taxes),
    taxKey,
  );
  for (const [key, same] of groupBy([...taxes.entries()], ([, tax]) => taxKey(tax))) {
    const summed = ofItems.get(key);
    const [[n] = [0]] = same;
    if (!summed) continue;
    const actual = same.map(([, { amount }]) => amount);
    yield { code: 'taxes_total', path: `/taxes/${n}/amount`, addends: amounts(summed), actual };
  }
}

function* netTotal({ net, total, taxes }: ReturnedReceipt): Generator<Comparison> {
  if (net === null || taxes.length === 0) return;
  const addends = [total, ...amounts(taxes).map((amount) => -amount)];
  yield { code: 'net_total', path: '/net', addends, actual: [net] };
}

function* itemTotal(
  { quantity, unit_price, discounts, total }: ReturnedItem,
  n: number,
): Generator<Comparison> {
  if (unit_price === null) return;
  const addends = [[quantity, unit_price] as const, ...amounts(discounts)];
  yield { code: 'item_total', path: `/items/${n}/total`, addends, actual: [total] };
}

function* comparisonsOf(receipt: ReturnedReceipt): Generator<Comparison> {
  yield itemsTotal(receipt);
  yield* paymentsTotal(receipt);
  yield* taxesTotal(receipt);
  yield* netTotal(receipt);
  for (const [n, item] of receipt.items.entries()) yield* itemTotal(item, n);
}

/** The largest relative error of a sum of doubles, per addend. */
const doubleError = 2 ** -48;

/** Whether the sums certainly agree, computed with doubles. Nearly all do, and decimals are far slower. */
function agreesByFar({ addends, actual }: Comparison, digits: number): boolean {
  const values = [...addends.map(valueOf), ...actual.map((value) => -value)];
  let sum = 0;
  let magnitude = 0;
  for (const value of values) {
    sum += value;
    magnitude += Math.abs(value);
  }
  const error = magnitude * values.length * doubleError;
  return Math.abs(sum) + error < (addends.length * 10 ** -digits) / 2;
}

/** Whether the difference is within half a minor unit per addend. */
function agrees(addends: readonly Addend[], actual: Decimal, digits: number): boolean {
  const difference = plus(sumOf(addends), negated(actual));
  return isAtMost(difference, { unscaled: 5n * BigInt(addends.length), scale: digits + 1 });
}

function failedComparisons(receipt: ReturnedReceipt): FailedCheck[] {
  const digits = minorDigits(receipt.l10n.currency);
  const failed: FailedCheck[] = [];
  for (const comparison of comparisonsOf(receipt)) {
    if (agreesByFar(comparison, digits)) continue;
    const { code, path, addends, orElse } = comparison;
    const actual = sumOf(comparison.actual);
    if (agrees(addends, actual, digits) || (orElse && agrees(orElse, actual, digits))) continue;
    failed.push({ code, path, expected: printDecimal(sumOf(addends)), actual: printDecimal(actual) });
  }
  return failed;
}

/** The checks that a receipt does not pass. A check does not apply if what it compares is missing. */
export const failedChecks = (receipt: ReturnedReceipt): readonly FailedCheck[] => [
  ...failedComparisons(receipt),
  ...fiscalFindings(receipt),
];

type Value = number | string | null;

/** The failed checks with their parsed values. */
export const parsedChecks = (receipt: ReturnedReceipt) =>
  failedChecks(receipt).map(({ code, path, expected, actual }) => ({
    code,
    path,
    expected: JSON.parse(expected) as Value,
    actual: JSON.parse(actual) as Value,
  }));

/** The codes of the checks that a receipt does not pass, each once. */
export const failedCheckCodes = (receipt: ReturnedReceipt): CheckCode[] => [
  ...new Set(failedChecks(receipt).map(({ code }) => code)),
];

/** The JSON of a receipt with its failed checks. */
export function withChecks(text: string): string {
  const checks = failedChecks(JSON.parse(text) as ReturnedReceipt).map(
    ({ code, path, expected, actual }) =>
      `{"code":"${code}","path":"${path}","expected":${expected},"actual":${actual}}`,
  );
  return `${text.slice(0, -1)},"checks":[${checks.join(',')}]}`;
}
