import { readDateTime, type ReturnedItem, type ReturnedReceipt } from '@receipts/contracts';
import { numberOf, type Decimal } from '@receipts/kernel';
import { readSignerKey } from '../fiscal/ecdsa';
import { memberFindings, readTseCode, serialsOf } from '../fiscal/tse-code';
import type { TseCode } from '../fiscal/tse-log-message';
import { receiptTime } from '../receipt-time';
import { printCents, taxOn } from './cents';
import { invoiceAmountsOf, type TaxSum } from './invoice';

const version = '1.0.0';
const documentType = 'Beleg';

/** What an amount contains of a tax. */
const vatAmount = ({ rate, net, tax }: TaxSum, isCredit: boolean) => {
  const number = (cents: bigint) => Number(printCents(isCredit ? -cents : cents));
  return { percentage: numberOf(rate), incl_vat: number(net + tax), excl_vat: number(net), vat: number(tax) };
};

const withTax = ({ rate, net }: { readonly rate: Decimal; readonly net: bigint }): TaxSum => ({
  rate,
  net,
  tax: taxOn(net, rate),
});

const itemOf = ({ gtin, quantity, unit, unit_price: price }: ReturnedItem) =>
  present({ gtin, quantity, quantity_measure: unit, price_per_unit: price });

/** EKaBS requires the text of a line, which a till may leave empty. */
const lineText = (name: string) => (name.trim() === '' ? '-' : name);

/** The lines and the taxes by rate, as far as the receipt states them. */
function linesOf(receipt: ReturnedReceipt) {
  const { items, discounts, charges, taxes } = receipt;
  const amounts = invoiceAmountsOf(receipt);
  if (amounts) {
    const { isCredit, lines, adjustments } = amounts;
    return {
      vat_amounts: amounts.taxes.map((one) => vatAmount(one, isCredit)),
      lines: [
        ...lines.map(({ item, ...line }) => ({
          text: lineText(item.name),
          vat_amounts: [vatAmount(withTax(line), isCredit)],
          item: itemOf(item),
        })),
        ...adjustments.map(({ reason, ...line }) => ({
          text: lineText(reason),
          vat_amounts: [vatAmount(withTax(line), isCredit)],
        })),
      ],
    };
  }
  return {
    vat_amounts: taxes.flatMap(({ rate, amount }) =>
      rate === null ? [] : [{ percentage: rate, vat: amount }],
    ),
    lines: [
      ...items.map((item) => ({ text: lineText(item.name), vat_amounts: [], item: itemOf(item) })),
      ...[...discounts, ...charges].map(({ name, amount }) => ({
        text: lineText(name),
        vat_amounts: [],
        item: { quantity: 1, price_per_unit: amount },
      })),
    ],
  };
}

const payment =
  (own: string) =>
  ({ method, amount, currency }: ReturnedReceipt['payments'][number]) => ({
    name: method,
    ...(currency === null || currency === own
      ? { amount }
      : { foreign_amount: amount, foreign_currency: currency }),
  });

/** What the code of a TSE says, unless it is malformed. */
function codeOf(qr: string | null): TseCode | undefined {
  const code = qr === null ? undefined : readTseCode(qr);
  return code && memberFindings(code).length === 0 ? code : undefined;
}

function wholeNumber(text: string | null | undefined): number | undefined {
  const number = /^\d+$/.test(text ?? '') ? Number(text) : NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Tills may leave out seconds, and minutes of the offset; RFC 3339 does not. */
function fullTime(text: string | null): string | null {
  if (text === null || /:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text.slice('YYYY-MM-DDThh:mm'.length)))
    return text;
  const written = readDateTime(text);
  return written ? receiptTime(written, () => 'UTC').localtime : null;
}

function serialNumber(code: TseCode): string | undefined {
  const publicKey = Buffer.from(code.publicKey, 'base64');
  return serialsOf(publicKey, readSignerKey(publicKey))[0]?.toString('hex').toUpperCase();
}

/** The members that are there. EKaBS has no empty texts. */
const present = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  );

/** What the TSE has signed: from its code, and from the members of `fiscal`, which take precedence. */
function tseOf({ device_id: device, ...fiscal }: NonNullable<ReturnedReceipt['fiscal']>, code?: TseCode) {
  return {
    ...present({
      serial_number: code ? serialNumber(code) : device,
      signature_algorithm: code?.algorithm,
      log_time_format: code?.timeFormat,
      timestamp_start: code?.start,
      timestamp_end: code?.logTime,
      transaction_number: wholeNumber(code?.transaction),
      signature_number: wholeNumber(code?.counter),
      process_type: code?.processType,
      process_data: code?.processData,
      signature: code?.signature,
    }),
    ...present({
      certificate: fiscal.certificate,
      timestamp_start: fullTime(fiscal.started),
      timestamp_end: fullTime(fiscal.finished),
      transaction_number: wholeNumber(fiscal.number),
      signature_number: fiscal.counter,
      signature: fiscal.signature,
    }),
  };
}

function sellerOf({ store, retailer }: ReturnedReceipt) {
  const taxNumber = store.vatno ?? retailer.vatno;
  return {
    name: store.company ?? retailer.name,
    ...present({ tax_number: taxNumber }),
    tax_exemption: false,
    address: present({
      street: store.address.filter((line) => line.trim() !== '').join(', '),
      postal_code: store.postcode,
      city: store.city,
      country_code: store.country,
    }),
  };
}

/**
 * A receipt as "elektronischer Kassenbeleg", the form of the German association DFKA (EKaBS), with the names of its
 * documentation.
 */
export function ekabsOf(receipt: ReturnedReceipt) {
  const { fiscal, l10n, voided } = receipt;
  const tse = fiscal?.regime === 'de-tse' ? fiscal : undefined;
  const code = codeOf(tse?.qr ?? null);
  const register = present({ serial_number: code?.client ?? receipt.till_uuid });
  const notes = [
    ...(voided ? [`Storniert am ${voided.timestamp}`] : []),
    ...(receipt.duplicate ? ['Kopie'] : []),
    ...(fiscal?.texts ?? []),
  ];
  return {
    version,
    type: documentType,
    ...('serial_number' in register && { cash_register: register }),
    head: {
      id: receipt.external_id ?? receipt.id,
      number: receipt.transaction_id,
      date: receipt.localtime,
      seller: sellerOf(receipt),
    },
    data: {
      currency: l10n.currency,
      full_amount_incl_vat: receipt.total,
      payment_types: receipt.payments.map(payment(l10n.currency)),
      ...linesOf(receipt),
    },
    ...(tse && { security: { tse: tseOf(tse, code) } }),
    ...(notes.length > 0 && { misc: { footer_text: notes.join('\n') } }),
  };
}
