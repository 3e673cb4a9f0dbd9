import {
  minorDigits,
  type ReturnableItem,
  type ReturnedItem,
  type ReturnedReceipt,
} from '@receipts/contracts';
import {
  decimalOf,
  negated,
  numberOf,
  plus,
  quotient,
  smaller,
  times,
  zero,
  type Decimal,
} from '@receipts/kernel';

/** A returned item. */
export type ReturnedLine = Pick<ReturnedItem, 'name' | 'quantity' | 'properties' | 'return'>;

const positive = (value: Decimal): Decimal => (value.unscaled < 0n ? negated(value) : value);
const countOf = ({ quantity }: ReturnedLine) => positive(decimalOf(quantity));

/** The article's code as a key; undefined if it has none. Some tills send an empty string instead. */
function codeOf({ properties }: ReturnedLine): string | undefined {
  const code = properties['product_code'];
  return code === undefined || code === null || code === '' ? undefined : JSON.stringify(code);
}

/** The returned items of a return or exchange. */
export const returnedLines = (items: readonly ReturnedItem[]): readonly ReturnedLine[] =>
  items.filter((item) => item.quantity < 0 || item.return !== null);

interface Line {
  readonly index: number;
  readonly item: ReturnedItem;
  readonly sold: Decimal;
  returned: Decimal;
}

const leftOf = ({ sold, returned }: Line) => plus(sold, negated(returned));

/** Takes a quantity from lines, in order. The excess is ignored. */
function fill(lines: readonly Line[], quantity: Decimal): void {
  let open = quantity;
  for (const line of lines) {
    const taken = smaller(open, leftOf(line));
    line.returned = plus(line.returned, taken);
    open = plus(open, negated(taken));
  }
}

/** Items with a code in the sale come first, so that the result does not depend on the order of the returns. */
function applyReturns(lines: readonly Line[], returns: readonly ReturnedLine[]): void {
  const withCode = (code: string | undefined) =>
    code === undefined ? [] : lines.filter(({ item }) => codeOf(item) === code);
  const byName: ReturnedLine[] = [];
  for (const one of returns) {
    const same = withCode(codeOf(one));
    if (same.length > 0) fill(same, countOf(one));
    else byName.push(one);
  }
  for (const one of byName) {
    fill(
      lines.filter(({ item }) => item.name === one.name),
      countOf(one),
    );
  }
}

function shown(line: Line, isVoided: boolean, digits: number): ReturnableItem {
  const { index, item, sold, returned } = line;
  const left = isVoided ? zero : leftOf(line);
  const total = decimalOf(item.total);
  const isNothing = item.quantity === 0;
  return {
    ...{ index, name: item.name, unit: item.unit, quantity: item.quantity },
    returned_quantity: numberOf(returned),
    returnable_quantity: numberOf(left),
    unit_price: isNothing ? null : numberOf(quotient(total, sold, digits)),
    returnable_total: isNothing ? 0 : numberOf(quotient(times(total, left), sold, digits)),
  };
}

/**
 * The part of a sale that can still be returned. For a voided sale, it is empty.
 * @param returns the returned items on other receipts
 */
export function returnableItems(
  sale: ReturnedReceipt,
  returns: readonly ReturnedLine[],
): readonly ReturnableItem[] {
  const lines = sale.items.flatMap((item, index): Line[] => {
    if (item.quantity < 0) return [];
    const sold = decimalOf(item.quantity);
    return [{ index, item, sold, returned: item.return ? sold : zero }];
  });
  const own = sale.items.filter((item) => item.quantity < 0 && item.return !== null);
  applyReturns(lines, [...own, ...returns]);
  const digits = minorDigits(sale.l10n.currency);
  return lines.map((line) => shown(line, sale.voided !== null, digits));
}
