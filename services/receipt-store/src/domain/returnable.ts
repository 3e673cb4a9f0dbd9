import {
  minorDigits,
  type ReturnableItem,
  type ReturnedItem,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { groupBy } from '@receipts/concurrency';
import {
  decimalOf,
  isZero,
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

/** The lines of one article, in order. */
class Article {
  private next = 0;

  constructor(private readonly lines: readonly Line[]) {}

  /** Takes a quantity from the lines. The excess is ignored. */
  take(quantity: Decimal): void {
    let open = quantity;
    // Lines that were returned in full stay so, and are not looked at again.
    for (; this.next < this.lines.length && !isZero(open); this.next++) {
      const line = this.lines[this.next] as Line;
      const taken = smaller(open, leftOf(line));
      line.returned = plus(line.returned, taken);
      open = plus(open, negated(taken));
      if (!isZero(leftOf(line))) return;
    }
  }
}

function articlesBy(lines: readonly Line[], keyOf: (line: Line) => string | undefined) {
  const articles = new Map<string | undefined, Article>();
  for (const [key, same] of groupBy(lines, keyOf)) articles.set(key, new Article(same));
  return articles;
}

/** Items with a code in the sale come first, so that the result does not depend on the order of the returns. */
function applyReturns(lines: readonly Line[], returns: readonly ReturnedLine[]): void {
  const byCode = articlesBy(lines, ({ item }) => codeOf(item));
  const byName = articlesBy(lines, ({ item }) => item.name);
  const withoutCode: ReturnedLine[] = [];
  for (const one of returns) {
    const code = codeOf(one);
    const article = code === undefined ? undefined : byCode.get(code);
    if (article) article.take(countOf(one));
    else withoutCode.push(one);
  }
  for (const one of withoutCode) byName.get(one.name)?.take(countOf(one));
}

function shown(line: Line, isVoided: boolean, digits: number): ReturnableItem {
  const { index, item, sold, returned } = line;
  const left = isVoided ? zero : leftOf(line);
  const total = decimalOf(item.total);
  const isNothing = item.quantity === 0;
  return {
    index,
    name: item.name,
    unit: item.unit,
    quantity: item.quantity,
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
