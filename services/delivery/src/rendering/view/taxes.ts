import type { ReturnedItem, ReturnedReceipt } from '@receipts/contracts';
import { decimalOf, isAtMost, negated, plus, times, zero, type Decimal } from '@receipts/kernel';
import { clean } from './text';

interface Tax {
  readonly name: string;
  readonly rate: number | null;
  readonly amount: number;
}

/** The sum of a tax at one rate. */
export interface TaxSum extends Omit<Tax, 'amount'> {
  readonly amount: Decimal;
  /** Marks the items with this tax, as is usual in Europe; null if no item states its taxes. */
  readonly letter: string | null;
  /** The net price of the items with this tax; null if the items do not determine it. */
  readonly base: Decimal | null;
}

const unnamed = (vat: { rate: number; amount: number }): Tax => ({ name: '', ...vat });

function taxesOfItem(item: ReturnedItem): readonly Tax[] {
  if (item.taxes.length > 0) return item.taxes;
  return item.vat ? [unnamed(item.vat)] : [];
}

/** The receipt's own taxes; if it has none, those of its items. */
function taxesOf(receipt: ReturnedReceipt): readonly Tax[] {
  if (receipt.taxes.length > 0) return receipt.taxes;
  if (receipt.vat.length > 0) return receipt.vat.map(unnamed);
  return receipt.items.flatMap(taxesOfItem);
}

/** Empty for a tax without its own name. */
const nameOf = ({ name }: Tax) => (name === 'vat' ? '' : clean(name.replaceAll('_', ' ')));
const keyOf = (tax: Tax) => `${nameOf(tax)}\n${tax.rate ?? ''}`;

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** The tolerance of sums: half a minor unit of most currencies for each item. */
const roundingPerItem: Decimal = { unscaled: 5n, scale: 3 };

interface ItemsWithTax {
  base: Decimal;
  amount: Decimal;
  count: number;
}

/** The net price of the items with each tax, and their share of the tax. */
function sumsOfItems(items: readonly ReturnedItem[]): ReadonlyMap<string, ItemsWithTax> {
  const sums = new Map<string, ItemsWithTax>();
  for (const item of items) {
    const taxes = taxesOfItem(item);
    const ofItem = taxes.reduce((sum, { amount }) => plus(sum, decimalOf(amount)), zero);
    const net = item.net === null ? plus(decimalOf(item.total), negated(ofItem)) : decimalOf(item.net);
    for (const tax of taxes) {
      const key = keyOf(tax);
      const sum = sums.get(key) ?? { base: zero, amount: zero, count: 0 };
      sum.base = plus(sum.base, net);
      sum.amount = plus(sum.amount, decimalOf(tax.amount));
      sum.count++;
      sums.set(key, sum);
    }
  }
  return sums;
}

/** Discounts on the receipt, for instance, are not part of the items. */
function isWhole(ofItems: ItemsWithTax, amount: Decimal): boolean {
  const tolerance = times(roundingPerItem, decimalOf(ofItems.count + 1));
  return isAtMost(plus(ofItems.amount, negated(amount)), tolerance);
}

/** The taxes of a receipt, summed by name and rate. */
export function taxSums(receipt: ReturnedReceipt): readonly TaxSum[] {
  const sums = new Map<string, Omit<TaxSum, 'letter' | 'base'>>();
  for (const tax of taxesOf(receipt)) {
    const key = keyOf(tax);
    const amount = plus(sums.get(key)?.amount ?? zero, decimalOf(tax.amount));
    sums.set(key, { name: nameOf(tax), rate: tax.rate, amount });
  }
  const ofItems = sumsOfItems(receipt.items);
  return [...sums].map(([key, tax], at) => {
    const found = ofItems.get(key);
    const letter = found ? (letters[at] ?? null) : null;
    return { ...tax, letter, base: found && isWhole(found, tax.amount) ? found.base : null };
  });
}

/** The letters that mark the items with each tax, as a function of an item. */
export function taxLettersOf(sums: readonly TaxSum[]): (item: ReturnedItem) => string {
  const byTax = new Map(
    sums.flatMap((tax) => (tax.letter === null ? [] : [[`${tax.name}\n${tax.rate ?? ''}`, tax.letter]])),
  );
  return (item) => {
    const found = new Set(taxesOfItem(item).flatMap((tax) => byTax.get(keyOf(tax)) ?? []));
    return [...found].sort().join('');
  };
}
