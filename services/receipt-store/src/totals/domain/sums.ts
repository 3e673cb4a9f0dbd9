import { isZero, negated, plus, printDecimal, readDecimal, zero, type Decimal } from '@receipts/kernel';

const countNames = ['receipts', 'items', 'nets', 'returnItems', 'voids'] as const;
const amountNames = ['total', 'net', 'discounts', 'charges', 'tips', 'returnTotal', 'voidTotal'] as const;

/** `nets` counts the receipts that have a `net`. */
export type CountName = (typeof countNames)[number];
export type AmountName = (typeof amountNames)[number];

/** The sum of the lines with one key: the taxes of one name and rate, or the payments of one method and currency. */
export interface LineSum {
  readonly count: number;
  readonly amount: Decimal;
}

/** Lines by key. A key may be an array, such as a tax's name and rate. */
export class Lines<K> {
  private readonly byText = new Map<string, LineSum>();

  add(key: K, line: LineSum): void {
    this.addText(JSON.stringify(key), line);
  }

  addAll(other: Lines<K>, sign: 1 | -1): void {
    for (const [text, { count, amount }] of other.byText) {
      this.addText(text, { count: sign * count, amount: sign === 1 ? amount : negated(amount) });
    }
  }

  private addText(text: string, { count, amount }: LineSum): void {
    const before = this.byText.get(text);
    const sum = before
      ? { count: before.count + count, amount: plus(before.amount, amount) }
      : { count, amount };
    if (sum.count === 0 && isZero(sum.amount)) this.byText.delete(text);
    else this.byText.set(text, sum);
  }

  entries(): (readonly [K, LineSum])[] {
    return [...this.byText].map(([text, sum]) => [JSON.parse(text) as K, sum]);
  }
}

type PrintedLine<K> = readonly [K, number, string];

interface PrintedSums {
  readonly counts: Partial<Record<CountName, number>>;
  readonly amounts: Partial<Record<AmountName, string>>;
  readonly taxes: readonly PrintedLine<TaxKey>[];
  readonly payments: readonly PrintedLine<PaymentKey>[];
}

export type TaxKey = readonly [name: string, rate: number | null];
/** A payment may be in another currency than its receipt. */
export type PaymentKey = readonly [method: string, currency: string];

const printLines = <K>(lines: Lines<K>): PrintedLine<K>[] =>
  lines.entries().map(([key, { count, amount }]) => [key, count, printDecimal(amount)]);

function readLines<K>(lines: Lines<K>, printed: readonly PrintedLine<K>[]): void {
  for (const [key, count, amount] of printed) lines.add(key, { count, amount: readDecimal(amount) });
}

/** The sums of receipts. */
export class Sums {
  private readonly counts = new Map<CountName, number>();
  private readonly amounts = new Map<AmountName, Decimal>();
  readonly taxes = new Lines<TaxKey>();
  readonly payments = new Lines<PaymentKey>();

  count(name: CountName): number {
    return this.counts.get(name) ?? 0;
  }

  amount(name: AmountName): Decimal {
    return this.amounts.get(name) ?? zero;
  }

  addCount(name: CountName, count: number): void {
    this.counts.set(name, this.count(name) + count);
  }

  addAmount(name: AmountName, amount: Decimal): void {
    this.amounts.set(name, plus(this.amount(name), amount));
  }

  add(other: Sums): void {
    this.addTimes(other, 1);
  }

  subtract(other: Sums): void {
    this.addTimes(other, -1);
  }

  /** True if the sums no longer contain any receipts. */
  get isEmpty(): boolean {
    return this.count('receipts') === 0 && this.count('voids') === 0;
  }

  /** The JSON that `readSums` reads. */
  printed(): PrintedSums {
    const counts = countNames.flatMap((name) => (this.count(name) === 0 ? [] : [[name, this.count(name)]]));
    const amounts = amountNames.flatMap((name) =>
      isZero(this.amount(name)) ? [] : [[name, printDecimal(this.amount(name))]],
    );
    return {
      counts: Object.fromEntries(counts) as PrintedSums['counts'],
      amounts: Object.fromEntries(amounts) as PrintedSums['amounts'],
      taxes: printLines(this.taxes),
      payments: printLines(this.payments),
    };
  }

  private addTimes(other: Sums, sign: 1 | -1): void {
    const signed = (amount: Decimal) => (sign === 1 ? amount : negated(amount));
    for (const [name, count] of other.counts) this.addCount(name, sign * count);
    for (const [name, amount] of other.amounts) this.addAmount(name, signed(amount));
    this.taxes.addAll(other.taxes, sign);
    this.payments.addAll(other.payments, sign);
  }
}

export function readSums({ counts, amounts, taxes, payments }: ReturnType<Sums['printed']>): Sums {
  const sums = new Sums();
  for (const name of countNames) sums.addCount(name, counts[name] ?? 0);
  for (const name of amountNames) sums.addAmount(name, readDecimal(amounts[name] ?? '0'));
  readLines(sums.taxes, taxes);
  readLines(sums.payments, payments);
  return sums;
}
