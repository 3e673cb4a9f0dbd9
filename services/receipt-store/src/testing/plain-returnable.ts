/** The parts of a receipt that determine the returnable items. */
export interface PlainReceipt {
  readonly items: readonly {
    readonly name: string;
    readonly code: string | number | undefined;
    readonly quantity: number;
    readonly total: number;
    readonly isReturn: boolean;
  }[];
  /** The types of the receipt's relations to the sale. */
  readonly relations: readonly string[];
  readonly isDuplicate: boolean;
  readonly isVoided: boolean;
}

/** Quantities and totals in tests have at most two decimals, so hundredths are whole numbers. */
const hundredths = (value: number) => BigInt(Math.round(value * 100));
const magnitude = (value: bigint) => (value < 0n ? -value : value);
const decimals: Readonly<Record<string, number>> = { EUR: 2, JPY: 0, BHD: 3 };

/** The fraction rounded to this many decimals, half to even. */
function rounded(numerator: bigint, denominator: bigint, digits: number): number {
  const scaled = magnitude(numerator) * 10n ** BigInt(digits);
  const [whole, rest] = [scaled / denominator, scaled % denominator];
  const isUp = 2n * rest > denominator || (2n * rest === denominator && whole % 2n === 1n);
  const value = Number(whole + (isUp ? 1n : 0n)) / 10 ** digits;
  return numerator < 0n && value !== 0 ? -value : value;
}

/**
 * The returnable items of a sale, as defined by the interface. Shares no code with the service.
 * @param others the receipts that refer to the sale, in any order
 */
export function plainReturnable(sale: PlainReceipt, others: readonly PlainReceipt[], currency: string) {
  const lines = sale.items
    .map((item, index) => ({ ...item, index, sold: hundredths(item.quantity) }))
    .filter(({ quantity }) => quantity >= 0)
    .map((line) => ({ ...line, back: line.isReturn ? line.sold : 0n }));
  const counting = others.filter(
    ({ relations, isDuplicate, isVoided }) =>
      !isDuplicate && !isVoided && relations.some((type) => type === 'return' || type === 'exchange'),
  );
  const came = [
    ...sale.items.filter(({ quantity, isReturn }) => quantity < 0 && isReturn),
    ...counting.flatMap(({ items }) => items.filter(({ quantity, isReturn }) => quantity < 0 || isReturn)),
  ];
  const isByCode = ({ code }: { code: string | number | undefined }) =>
    code !== undefined && lines.some((line) => line.code === code);
  const take = (quantity: number, isSame: (line: (typeof lines)[number]) => boolean) => {
    let open = magnitude(hundredths(quantity));
    for (const line of lines.filter(isSame)) {
      while (open > 0n && line.back < line.sold) {
        line.back += 1n;
        open -= 1n;
      }
    }
  };
  for (const one of came.filter(isByCode)) take(one.quantity, ({ code }) => code === one.code);
  for (const one of came.filter((each) => !isByCode(each)))
    take(one.quantity, ({ name }) => name === one.name);
  const digits = decimals[currency] ?? 2;
  return lines.map(({ index, quantity, total, sold, back }) => {
    const left = sale.isVoided ? 0n : sold - back;
    const amount = hundredths(total);
    return {
      index,
      quantity,
      returned_quantity: Number(back) / 100,
      returnable_quantity: Number(left) / 100,
      unit_price: sold === 0n ? null : rounded(amount, sold, digits),
      returnable_total: sold === 0n ? 0 : rounded(amount * left, sold * 100n, digits),
    };
  });
}
