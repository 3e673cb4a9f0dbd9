import {
  minorDigits,
  type PostedReceipt,
  type ReturnableItem,
  type ReturnedItem,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { decimalOf, negated, numberOf, plus, quotient, times, zero, type Decimal } from '@receipts/kernel';

/** What a user returns. */
export interface ChosenReturn {
  readonly transactionId: string;
  readonly method: string;
  readonly reason: string;
  /** The quantity of each chosen item, by its index on the sale. */
  readonly quantities: ReadonlyMap<number, number>;
}

const minus = (value: Decimal) => numberOf(negated(value));

/** The part of an amount of the sale that belongs to a part of its quantity. */
const shareOf = (amount: number, part: number, whole: number, digits: number): Decimal =>
  quotient(times(decimalOf(amount), decimalOf(part)), decimalOf(whole), digits);

function returnedItem(
  item: ReturnedItem,
  { quantity, total }: { quantity: number; total: Decimal },
  digits: number,
) {
  const { name, unit, gtin, lot, serial, taxes, properties } = item;
  return {
    name,
    quantity: minus(decimalOf(quantity)),
    total: minus(total),
    ...(unit !== null && { unit }),
    ...(gtin !== null && { gtin }),
    ...(lot !== null && { lot }),
    ...(serial !== null && { serial }),
    ...(taxes.length > 0 && {
      taxes: taxes.map((tax) => ({
        name: tax.name,
        rate: tax.rate,
        amount: minus(shareOf(tax.amount, quantity, item.quantity, digits)),
      })),
    }),
    // The article's code, by which the return is matched with the sale.
    ...(properties['product_code'] !== undefined && {
      properties: { product_code: properties['product_code'] },
    }),
  };
}

/** The sums of the items' taxes by name and rate, as checks compute them. */
function taxesOf(items: readonly ReturnType<typeof returnedItem>[]) {
  const sums = new Map<string, { name: string; rate: number | null; amount: Decimal }>();
  for (const { name, rate, amount } of items.flatMap((item) => item.taxes ?? [])) {
    const key = JSON.stringify([name, rate]);
    const before = sums.get(key)?.amount ?? zero;
    sums.set(key, { name, rate, amount: plus(before, decimalOf(amount)) });
  }
  return [...sums.values()].map((sum) => ({ ...sum, amount: numberOf(sum.amount) }));
}

/**
 * The receipt of a return: the chosen items with negative quantities and amounts, paid back in full. The whole rest of
 * an item is worth what the sale says is left of it, so that several returns add up to the sale.
 * @param localtime when the items are returned, ISO 8601
 */
export function returnReceipt(
  sale: ReturnedReceipt,
  returnable: readonly ReturnableItem[],
  { transactionId, method, reason, quantities }: ChosenReturn,
  localtime: string,
): PostedReceipt {
  const digits = minorDigits(sale.l10n.currency);
  const items = returnable.flatMap((line) => {
    const quantity = quantities.get(line.index) ?? 0;
    const item = sale.items[line.index];
    if (quantity <= 0 || !item) return [];
    const isRest = quantity === line.returnable_quantity;
    const total = isRest
      ? decimalOf(line.returnable_total)
      : shareOf(item.total, quantity, item.quantity, digits);
    const returned = returnedItem(item, { quantity, total }, digits);
    return [{ ...returned, return: { localtime, ...(reason !== '' && { reason }) } }];
  });
  const total = numberOf(items.map((item) => decimalOf(item.total)).reduce(plus, zero));
  const taxes = sale.taxes.length > 0 ? taxesOf(items) : [];
  const { locale, translation_locale, timezone, currency } = sale.l10n;
  return {
    transaction_id: transactionId,
    localtime,
    store_reference: sale.store_reference,
    ...(sale.till_uuid !== null && { till_uuid: sale.till_uuid }),
    ...(sale.identifier !== null && { identifier: sale.identifier }),
    l10n: { locale, ...(translation_locale !== null && { translation_locale }), timezone, currency },
    related: [{ type: 'return', id: sale.id }],
    items,
    total,
    ...(taxes.length > 0 && { taxes }),
    payments: [{ method, amount: total }],
  };
}
