import { alpha2CodeOf, notAnInvoice, type ReturnedItem, type ReturnedReceipt } from '@receipts/contracts';
import {
  decimalOf,
  isZero,
  negated,
  plus,
  printDecimal,
  ServiceError,
  zero,
  type Decimal,
  type FieldFault,
} from '@receipts/kernel';
import { centsOf, isWholeCents, netOf, splitCents, taxOn, type Cents } from './cents';

/** Who buys, as far as the retailer knows. */
export interface Buyer {
  readonly name: string;
  readonly address: readonly string[];
  readonly city: string | null;
  readonly postcode: string | null;
}

export interface InvoiceLine {
  readonly item: ReturnedItem;
  readonly rate: Decimal;
  /** BT-131. */
  readonly net: Cents;
}

/** A discount or charge on the whole document, for one rate of tax (BG-20, BG-21). */
export interface Adjustment {
  readonly reason: string;
  readonly rate: Decimal;
  /** Negative for a discount. */
  readonly net: Cents;
}

/** The sums of one rate of tax (BG-23). */
export interface TaxSum {
  readonly rate: Decimal;
  readonly net: Cents;
  readonly tax: Cents;
}

/** The amounts of a receipt by EN 16931. A credit note has them with the opposite sign. */
export interface InvoiceAmounts {
  readonly isCredit: boolean;
  readonly lines: readonly InvoiceLine[];
  readonly adjustments: readonly Adjustment[];
  readonly taxes: readonly TaxSum[];
  /** The total of the receipt. */
  readonly total: Cents;
  /** BT-114: what the total differs from the sum of net amounts and taxes, because each of them is rounded. */
  readonly rounding: Cents;
}

export interface Invoice extends InvoiceAmounts {
  readonly country: string;
  readonly taxNumber: string;
  /** BT-115: what is left to pay. */
  readonly due: Cents;
}

const fault = (code: string, path: string, message: string): FieldFault => ({ code, path, message });

/**
 * The rate of the only tax on an item or a charge, which may be stated in parts; undefined if there is none or more than
 * one. The rates of several taxes add up.
 */
function onlyRate(
  taxes: readonly { readonly name?: string; readonly rate: number | null }[],
): Decimal | undefined {
  const [first] = taxes;
  const isOnly = taxes.every(({ name, rate }) => name === first?.name && rate === first?.rate);
  return isOnly && typeof first?.rate === 'number' && first.rate >= 0 ? decimalOf(first.rate) : undefined;
}

/** Undefined unless the item states one rate of tax. */
export const rateOfItem = ({ taxes, vat }: ReturnedItem) =>
  onlyRate(taxes.length > 0 || !vat ? taxes : [vat]);

const sumOf = (values: readonly number[]) => values.map(decimalOf).reduce(plus, zero);
const equals = (a: Decimal, b: Decimal) => isZero(plus(a, negated(b)));

/** How the amounts of a receipt add up to its total. */
interface AddedUp {
  /** Whether the amounts include taxes. */
  readonly isGross: boolean;
  /** -1 if discounts were posted as positive amounts. */
  readonly discountSign: 1 | -1;
}

function addedUp(receipt: ReturnedReceipt): AddedUp | undefined {
  const amounts = (all: readonly { readonly amount: number }[]) => sumOf(all.map(({ amount }) => amount));
  const base = plus(sumOf(receipt.items.map(({ total }) => total)), amounts(receipt.charges));
  const discounts = amounts(receipt.discounts);
  const total = decimalOf(receipt.total);
  for (const isGross of [true, false]) {
    const taxed = isGross ? base : plus(base, amounts(receipt.taxes));
    for (const discountSign of [1, -1] as const) {
      const sum = plus(taxed, discountSign === 1 ? discounts : negated(discounts));
      if (equals(sum, total)) return { isGross, discountSign };
    }
  }
  return undefined;
}

/** Everything that the standard requires and the receipt lacks. */
function faultsOf(receipt: ReturnedReceipt): FieldFault[] {
  const { store, retailer, items } = receipt;
  const faults: FieldFault[] = [];
  const lacks = (code: string, path: string, message: string) => faults.push(fault(code, path, message));
  if ((store.company ?? retailer.name).trim() === '')
    lacks('BT-27', '/retailer/name', 'the seller’s name is missing');
  if ((store.vatno ?? retailer.vatno ?? '').trim() === '') {
    lacks('BT-31', '/retailer/vatno', 'the seller’s tax number is missing');
  }
  if (alpha2CodeOf(store.country ?? '') === undefined) {
    lacks('BT-40', '/store/country', 'the seller’s country is missing');
  }
  if (items.length === 0) lacks('BG-25', '/items', 'there is no item');
  items.forEach((item, n) => {
    if (!rateOfItem(item)) lacks('BT-152', `/items/${n}/taxes`, 'the item has no single rate of tax');
  });
  if (!isWholeCents(decimalOf(receipt.total))) {
    lacks('BT-115', '/total', 'the total has more than two decimal places');
  }
  if (!addedUp(receipt)) lacks('BT-112', '/total', 'items, discounts and charges do not add up to the total');
  return faults;
}

function refuse(faults: readonly FieldFault[]): never {
  const list = faults.map(({ code, message }) => `${message} (${code})`).join(', ');
  throw new ServiceError(notAnInvoice, {
    description: `${notAnInvoice.description}: ${list}`,
    errors: [...faults],
  });
}

const rateKey = (rate: Decimal) => printDecimal(rate);

/** Collects the amounts of an invoice by rate of tax. */
class RateSums {
  private readonly rates = new Map<string, { readonly rate: Decimal; posted: Cents; net: Cents }>();

  add(rate: Decimal, posted: Cents, net: Cents): void {
    const found = this.rates.get(rateKey(rate)) ?? { rate, posted: 0n, net: 0n };
    found.posted += posted;
    found.net += net;
    this.rates.set(rateKey(rate), found);
  }

  /** Divides an amount among the rates by what has been added at each. */
  split(amount: Cents): { readonly rate: Decimal; readonly part: Cents }[] {
    const all = [...this.rates.values()];
    const parts = splitCents(
      amount,
      all.map(({ posted }) => posted),
    );
    return all.map(({ rate }, i) => ({ rate, part: parts[i] ?? 0n }));
  }

  taxes(): TaxSum[] {
    return [...this.rates.values()].map(({ rate, net }) => ({ rate, net, tax: taxOn(net, rate) }));
  }
}

const centsDecimal = (unscaled: Cents): Decimal => ({ unscaled, scale: 2 });

/** Discounts and charges, divided among the rates of the items unless a charge states its own. */
function adjustmentsOf(
  receipt: ReturnedReceipt,
  { isGross, discountSign }: AddedUp,
  sign: bigint,
  sums: RateSums,
): Adjustment[] {
  const wanted = [
    ...receipt.discounts.map(({ name, amount }) => ({
      name,
      rate: undefined,
      amount: BigInt(discountSign) * centsOf(decimalOf(amount)),
    })),
    ...receipt.charges.map(({ name, amount, taxes }) => ({
      name,
      rate: onlyRate(taxes),
      amount: centsOf(decimalOf(amount)),
    })),
  ];
  const parts = wanted.flatMap(({ name, rate, amount }) => {
    const signed = sign * amount;
    const split = rate ? [{ rate, part: signed }] : sums.split(signed);
    return split.map((one) => ({ ...one, reason: name }));
  });
  return parts
    .map(({ rate, part, reason }) => {
      const net = isGross ? netOf(centsDecimal(part), rate) : part;
      sums.add(rate, part, net);
      return { reason, rate, net };
    })
    .filter(({ net }) => net !== 0n);
}

type Payment = ReturnedReceipt['payments'][number];

/** What is left to pay. Rounding in cash settles the rest, whether a till adds it to the total or to the payment. */
function dueOf({ payments, total, l10n }: ReturnedReceipt): Cents {
  const owed = centsOf(decimalOf(total));
  if (payments.some(({ currency }) => currency !== null && currency !== l10n.currency)) return 0n;
  const found = (payment: Payment, name: 'change' | 'rounding') =>
    decimalOf(payment[name] ?? payment.details?.[name] ?? 0);
  const paid = payments
    .map((payment) =>
      plus(decimalOf(payment.amount), negated(plus(found(payment, 'change'), decimalOf(payment.tip ?? 0)))),
    )
    .reduce(plus, zero);
  const rounding = centsOf(payments.map((payment) => found(payment, 'rounding')).reduce(plus, zero));
  const due = owed - centsOf(paid);
  return due === rounding || due === -rounding || due * owed < 0n ? 0n : due;
}

/**
 * The amounts of a receipt, net and by rate. Gross prices become net by the rate of their item; the differences that
 * rounding them causes are stated as such (BT-114), so that the invoice has the total of the receipt.
 * @returns undefined if items state no rate, or the amounts do not add up
 */
export function invoiceAmountsOf(receipt: ReturnedReceipt): InvoiceAmounts | undefined {
  const sumsUp = addedUp(receipt);
  const rates = receipt.items.map(rateOfItem);
  if (!sumsUp) return undefined;
  const isCredit = receipt.total < 0;
  const sign = isCredit ? -1n : 1n;
  const sums = new RateSums();
  const lines: InvoiceLine[] = [];
  for (const [n, item] of receipt.items.entries()) {
    const rate = rates[n];
    if (!rate) return undefined;
    const posted = decimalOf(item.total);
    const net = sign * (sumsUp.isGross ? netOf(posted, rate) : centsOf(posted));
    sums.add(rate, sign * centsOf(posted), net);
    lines.push({ item, rate, net });
  }
  const adjustments = adjustmentsOf(receipt, sumsUp, sign, sums);
  const taxes = sums.taxes();
  const withTax = taxes.reduce((sum, { net, tax }) => sum + net + tax, 0n);
  const total = sign * centsOf(decimalOf(receipt.total));
  return { isCredit, lines, adjustments, taxes, total, rounding: total - withTax };
}

/** Whether the taxes are those of the items but for the rounding of each amount to cents. */
function taxesAgree(
  { taxes }: ReturnedReceipt,
  { isCredit, lines, adjustments, rounding, ...amounts }: InvoiceAmounts,
): boolean {
  const tolerance = BigInt(lines.length + adjustments.length + amounts.taxes.length);
  const isWithin = (difference: Cents) => difference <= tolerance && difference >= -tolerance;
  const posted = centsOf(sumOf(taxes.map(({ amount }) => amount)));
  const tax = amounts.taxes.reduce((sum, one) => sum + one.tax, 0n);
  return isWithin(rounding) && (taxes.length === 0 || isWithin((isCredit ? -posted : posted) - tax));
}

/**
 * The receipt as an invoice by EN 16931.
 * @throws ServiceError 422 `not_an_invoice`, with everything that the receipt lacks
 */
export function invoiceOf(receipt: ReturnedReceipt): Invoice {
  const faults = faultsOf(receipt);
  const amounts = invoiceAmountsOf(receipt);
  if (faults.length > 0 || !amounts) return refuse(faults);
  if (!taxesAgree(receipt, amounts)) {
    refuse([fault('BT-110', '/taxes', 'the taxes differ from those of the items by more than rounding')]);
  }
  const { store, retailer } = receipt;
  const due = dueOf(receipt);
  return {
    ...amounts,
    country: alpha2CodeOf(store.country ?? '') as string,
    taxNumber: (store.vatno ?? retailer.vatno ?? '').trim(),
    due: amounts.isCredit ? -due : due,
  };
}
