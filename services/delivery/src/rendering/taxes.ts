import type { ReturnedItem, ReturnedReceipt } from '@receipts/contracts';
import { clean } from './text';

interface Tax {
  readonly name: string;
  readonly rate: number | null;
  readonly amount: number;
}

/** The sum of a tax at one rate. */
export interface TaxSum extends Tax {
  /** Marks the items with this tax, as is usual in Europe; null if no item states its taxes. */
  readonly letter: string | null;
  /** The net price of the items with this tax; null if the items do not determine it. */
  readonly base: number | null;
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
const roundingPerItem = 0.005;

/** The net price of the items with each tax, and their share of the tax. */
function sumsOfItems(items: readonly ReturnedItem[]) {
  const sums = new Map<string, { base: number; amount: number; count: number }>();
  for (const item of items) {
    const taxes = taxesOfItem(item);
    const ofItem = taxes.reduce((sum, { amount }) => sum + amount, 0);
    for (const tax of taxes) {
      const { base, amount, count } = sums.get(keyOf(tax)) ?? { base: 0, amount: 0, count: 0 };
      const own = item.net ?? item.total - ofItem;
      sums.set(keyOf(tax), { base: base + own, amount: amount + tax.amount, count: count + 1 });
    }
  }
  return sums;
}

/** The taxes of a receipt, summed by name and rate. */
export function taxSums(receipt: ReturnedReceipt): readonly TaxSum[] {
  const sums = new Map<string, Tax>();
  for (const tax of taxesOf(receipt)) {
    const amount = (sums.get(keyOf(tax))?.amount ?? 0) + tax.amount;
    sums.set(keyOf(tax), { name: nameOf(tax), rate: tax.rate, amount });
  }
  const ofItems = sumsOfItems(receipt.items);
  return [...sums].map(([key, tax], at) => {
    const found = ofItems.get(key);
    const letter = found ? (letters[at] ?? null) : null;
    // Discounts on the receipt, for instance, are not part of the items.
    const isWhole = found && Math.abs(found.amount - tax.amount) <= roundingPerItem * (found.count + 1);
    return { ...tax, letter, base: isWhole ? found.base : null };
  });
}

/** The letters that mark an item's taxes. */
export function taxLetters(item: ReturnedItem, sums: readonly TaxSum[]): string {
  const keys = new Set(taxesOfItem(item).map(keyOf));
  return sums.flatMap((tax) => (tax.letter !== null && keys.has(keyOf(tax)) ? [tax.letter] : [])).join('');
}
