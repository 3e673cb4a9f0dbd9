import { createHash } from 'node:crypto';
import type { ReturnedItem, ReturnedReceipt } from '@receipts/contracts';
import { numberOf, type Decimal } from '@receipts/kernel';
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

const itemOf = ({ gtin, quantity, unit, unit_price: price }: ReturnedItem) => ({
  ...(gtin !== null && { gtin }),
  quantity,
  ...(unit !== null && { quantity_measure: unit }),
  ...(price !== null && { price_per_unit: price }),
});

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
          text: item.name,
          vat_amounts: [vatAmount(withTax(line), isCredit)],
          item: itemOf(item),
        })),
        ...adjustments.map(({ reason, ...line }) => ({
          text: reason,
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
      ...items.map((item) => ({ text: item.name, vat_amounts: [], item: itemOf(item) })),
      ...[...discounts, ...charges].map(({ name, amount }) => ({
        text: name,
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

const codeParts = 12;

/** The parts of the code of a TSE (DSFinV-K, appendix I): all of them, or none. */
function partsOf(code: string | null): readonly string[] {
  const parts = (code ?? '').split(';');
  return parts.length === codeParts && parts[0] === 'V0' ? parts : [];
}

function wholeNumber(text: string | null | undefined): number | undefined {
  const number = Number(text ?? NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** The serial number of a TSE is the digest of its public key. */
const serialNumber = (publicKey: string) =>
  createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex').toUpperCase();

const present = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

/** What the TSE has signed: from its code, and from the members of `fiscal`, which take precedence. */
function tseOf({ qr, device_id: device, ...fiscal }: NonNullable<ReturnedReceipt['fiscal']>) {
  const [, , type, data, transaction, counter, started, finished, ...rest] = partsOf(qr);
  const [algorithm, timeFormat, signature, publicKey] = rest;
  return {
    ...present({
      serial_number: publicKey === undefined ? device : serialNumber(publicKey),
      signature_algorithm: algorithm,
      log_time_format: timeFormat,
      timestamp_start: started,
      timestamp_end: finished,
      transaction_number: wholeNumber(transaction),
      signature_number: wholeNumber(counter),
      process_type: type,
      process_data: data,
      signature,
    }),
    ...present({
      certificate: fiscal.certificate,
      timestamp_start: fiscal.started,
      timestamp_end: fiscal.finished,
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
    ...(taxNumber !== null && { tax_number: taxNumber }),
    tax_exemption: false,
    address: {
      ...(store.address.length > 0 && { street: store.address.join(', ') }),
      ...(store.postcode !== null && { postal_code: store.postcode }),
      ...(store.city !== null && { city: store.city }),
      ...(store.country !== null && { country_code: store.country }),
    },
  };
}

/**
 * A receipt as "elektronischer Kassenbeleg", the form of the German association DFKA (EKaBS), with the names of its
 * documentation.
 */
export function ekabsOf(receipt: ReturnedReceipt) {
  const { fiscal, l10n, voided } = receipt;
  const tse = fiscal?.regime === 'de-tse' ? fiscal : undefined;
  const [, client] = partsOf(tse?.qr ?? null);
  const register = client ?? receipt.till_uuid;
  const notes = [
    ...(voided ? [`Storniert am ${voided.timestamp}`] : []),
    ...(receipt.duplicate ? ['Kopie'] : []),
    ...(fiscal?.texts ?? []),
  ];
  return {
    version,
    type: documentType,
    ...(register !== null && { cash_register: { serial_number: register } }),
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
    ...(tse && { security: { tse: tseOf(tse) } }),
    ...(notes.length > 0 && { misc: { footer_text: notes.join('\n') } }),
  };
}
