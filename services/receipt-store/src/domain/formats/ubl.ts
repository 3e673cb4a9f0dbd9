import { isAlpha2Code, type ReturnedItem, type ReturnedReceipt } from '@receipts/contracts';
import { decimalOf, printDecimal, times, type Decimal } from '@receipts/kernel';
import { XMLBuilder } from 'fast-xml-parser';
import { printCents, roundedQuotient, type Cents } from './cents';
import { invoiceOf, type Adjustment, type Buyer, type Invoice, type InvoiceLine } from './invoice';

const customization = 'urn:cen.eu:en16931:2017';
const ublNamespace = 'urn:oasis:names:specification:ubl:schema:xsd:';
/** Where EN 16931 requires a buyer, and the receipt names none. */
const anonymous = 'Anonymous';

const builder = new XMLBuilder({ ignoreAttributes: false, format: true });

/** The characters that XML 1.0 allows in no form. */
const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const text = (value: string) => value.replace(forbidden, '');

/** UN/ECE Recommendation 20, for the units that tills name; `C62` is a piece. */
const unitCodes: Readonly<Record<string, string>> = {
  kg: 'KGM',
  g: 'GRM',
  mg: 'MGM',
  t: 'TNE',
  lb: 'LBR',
  oz: 'ONZ',
  l: 'LTR',
  ml: 'MLT',
  cl: 'CLT',
  dl: 'DLT',
  m3: 'MTQ',
  m: 'MTR',
  cm: 'CMT',
  mm: 'MMT',
  km: 'KMT',
  m2: 'MTK',
  h: 'HUR',
  min: 'MIN',
  day: 'DAY',
  kwh: 'KWH',
};
const piece = 'C62';
const unitCode = (unit: string | null) => unitCodes[(unit ?? '').trim().toLowerCase()] ?? piece;

const money = (currency: string, amount: Cents | string) => ({
  '@_currencyID': currency,
  '#text': typeof amount === 'string' ? amount : printCents(amount),
});

const vatScheme = { 'cbc:ID': 'VAT' };

/** Category S (standard rate) or Z (zero rate) of UNCL 5305. */
const taxCategory = (rate: Decimal) => ({
  'cbc:ID': rate.unscaled === 0n ? 'Z' : 'S',
  'cbc:Percent': printDecimal(rate),
  'cac:TaxScheme': vatScheme,
});

interface Address {
  readonly address: readonly string[];
  readonly city: string | null;
  readonly postcode: string | null;
}

function postalAddress({ address, city, postcode }: Address, country: string) {
  const [street, more, ...rest] = address.map(text).filter((line) => line.trim() !== '');
  return {
    ...(street !== undefined && { 'cbc:StreetName': street }),
    ...(more !== undefined && { 'cbc:AdditionalStreetName': more }),
    ...(city && { 'cbc:CityName': text(city) }),
    ...(postcode && { 'cbc:PostalZone': text(postcode) }),
    ...(rest.length > 0 && { 'cac:AddressLine': { 'cbc:Line': rest.join(', ') } }),
    'cac:Country': { 'cbc:IdentificationCode': country },
  };
}

/** Greece uses a prefix of its own, and Northern Ireland has one without being a country of ISO 3166. */
const otherPrefixes: ReadonlySet<string> = new Set(['EL', 'XI']);

/** A VAT number (BT-31) begins with the code of its country; any other is the number at the local tax office (BT-32). */
function taxScheme(taxNumber: string) {
  const prefix = taxNumber.slice(0, 2);
  const isVat = isAlpha2Code(prefix) || otherPrefixes.has(prefix);
  return { 'cbc:CompanyID': taxNumber, 'cac:TaxScheme': isVat ? vatScheme : { 'cbc:ID': 'FC' } };
}

function seller({ store, retailer }: ReturnedReceipt, { country, taxNumber }: Invoice) {
  return {
    'cac:Party': {
      ...(store.name && { 'cac:PartyName': { 'cbc:Name': text(store.name) } }),
      'cac:PostalAddress': postalAddress(store, country),
      'cac:PartyTaxScheme': taxScheme(text(taxNumber)),
      'cac:PartyLegalEntity': {
        'cbc:RegistrationName': text(store.company ?? retailer.name),
        'cbc:CompanyID': text(taxNumber),
      },
    },
  };
}

function buyerParty(buyer: Buyer | undefined, country: string) {
  const { name, ...address } = buyer ?? { name: anonymous, address: [], city: null, postcode: null };
  return {
    'cac:Party': {
      'cac:PostalAddress': postalAddress(address, country),
      'cac:PartyLegalEntity': { 'cbc:RegistrationName': text(name) },
    },
  };
}

const adjustment =
  (currency: string) =>
  ({ reason, rate, net }: Adjustment) => ({
    'cbc:ChargeIndicator': String(net > 0n),
    'cbc:AllowanceChargeReason': text(reason).trim() || '-',
    'cbc:Amount': money(currency, net < 0n ? -net : net),
    'cac:TaxCategory': taxCategory(rate),
  });

const priceDigits = 6;

/** The net price of one unit, which is never negative; the quantity has the sign of the amount. */
function priceOf(net: Cents, quantity: Decimal): string {
  const amount = net < 0n ? -net : net;
  const units = quantity.unscaled < 0n ? -quantity.unscaled : quantity.unscaled;
  const scaled = amount * 10n ** BigInt(priceDigits - 2 + quantity.scale);
  return printDecimal({ unscaled: roundedQuotient(scaled, units), scale: priceDigits });
}

const one: Decimal = { unscaled: 1n, scale: 0 };
const minusOne: Decimal = { unscaled: -1n, scale: 0 };

function signedQuantity({ quantity }: ReturnedItem, net: Cents): Decimal {
  const posted = decimalOf(quantity);
  const size = posted.unscaled === 0n ? one : posted;
  return size.unscaled < 0n === net < 0n || net === 0n ? size : times(size, minusOne);
}

const line = (currency: string, { isCredit }: Invoice) => {
  const quantityName = isCredit ? 'cbc:CreditedQuantity' : 'cbc:InvoicedQuantity';
  return ({ item, rate, net }: InvoiceLine, n: number) => {
    const quantity = signedQuantity(item, net);
    return {
      'cbc:ID': String(n + 1),
      [quantityName]: { '@_unitCode': unitCode(item.unit), '#text': printDecimal(quantity) },
      'cbc:LineExtensionAmount': money(currency, net),
      'cac:Item': {
        'cbc:Name': text(item.name).trim() || '-',
        ...(item.gtin && {
          'cac:StandardItemIdentification': { 'cbc:ID': { '@_schemeID': '0160', '#text': item.gtin } },
        }),
        'cac:ClassifiedTaxCategory': taxCategory(rate),
      },
      'cac:Price': { 'cbc:PriceAmount': money(currency, priceOf(net, quantity)) },
    };
  };
};

const sum = (amounts: readonly Cents[]) => amounts.reduce((a, b) => a + b, 0n);

function taxTotal(currency: string, { taxes }: Invoice) {
  return {
    'cbc:TaxAmount': money(currency, sum(taxes.map(({ tax }) => tax))),
    'cac:TaxSubtotal': taxes.map(({ rate, net, tax }) => ({
      'cbc:TaxableAmount': money(currency, net),
      'cbc:TaxAmount': money(currency, tax),
      'cac:TaxCategory': taxCategory(rate),
    })),
  };
}

function monetaryTotal(currency: string, invoice: Invoice) {
  const { lines, adjustments, taxes, total, rounding, due } = invoice;
  const nets = adjustments.map(({ net }) => net);
  const allowances = -sum(nets.filter((net) => net < 0n));
  const charges = sum(nets.filter((net) => net > 0n));
  const optional = (name: string, amount: Cents) =>
    amount === 0n ? {} : { [name]: money(currency, amount) };
  const net = sum(taxes.map((one) => one.net));
  return {
    'cbc:LineExtensionAmount': money(currency, sum(lines.map((one) => one.net))),
    'cbc:TaxExclusiveAmount': money(currency, net),
    'cbc:TaxInclusiveAmount': money(currency, net + sum(taxes.map(({ tax }) => tax))),
    ...optional('cbc:AllowanceTotalAmount', allowances),
    ...optional('cbc:ChargeTotalAmount', charges),
    ...optional('cbc:PrepaidAmount', total - due),
    ...optional('cbc:PayableRoundingAmount', rounding),
    'cbc:PayableAmount': money(currency, due),
  };
}

/** Codes of UNCL 4461; `ZZZ` is a means that both parties know. */
function paymentMeans({ payments }: ReturnedReceipt) {
  const [payment] = payments;
  if (!payment) return {};
  const method = payment.method.toLowerCase();
  const code = method === 'cash' ? '10' : method.includes('card') && method !== 'giftcard' ? '48' : 'ZZZ';
  return { 'cac:PaymentMeans': { 'cbc:PaymentMeansCode': code } };
}

/** The sales that a return belongs to (BG-3). */
const references = ({ related }: ReturnedReceipt) =>
  related.flatMap(({ transaction_id: id }) =>
    id ? [{ 'cac:InvoiceDocumentReference': { 'cbc:ID': text(id) } }] : [],
  );

/**
 * A receipt as an invoice or credit note in UBL 2.1 by EN 16931-1 (CEN/TS 16931-3-2).
 * @throws ServiceError 422 `not_an_invoice`, with everything that the receipt lacks
 */
export function ublOf(receipt: ReturnedReceipt, buyer: Buyer | undefined): string {
  const invoice = invoiceOf(receipt);
  const { currency } = receipt.l10n;
  const { isCredit, country, lines, adjustments, due } = invoice;
  const name = isCredit ? 'CreditNote' : 'Invoice';
  const billing = references(receipt);
  const content = {
    '@_xmlns': `${ublNamespace}${name}-2`,
    '@_xmlns:cac': `${ublNamespace}CommonAggregateComponents-2`,
    '@_xmlns:cbc': `${ublNamespace}CommonBasicComponents-2`,
    'cbc:CustomizationID': customization,
    'cbc:ID': text(receipt.transaction_id),
    'cbc:IssueDate': receipt.localtime.slice(0, 'YYYY-MM-DD'.length),
    [`cbc:${name}TypeCode`]: isCredit ? '381' : '380',
    ...(receipt.voided && { 'cbc:Note': `Voided on ${receipt.voided.timestamp}` }),
    'cbc:DocumentCurrencyCode': currency,
    ...(billing.length > 0 && { 'cac:BillingReference': billing }),
    'cac:AccountingSupplierParty': seller(receipt, invoice),
    'cac:AccountingCustomerParty': buyerParty(buyer, country),
    ...paymentMeans(receipt),
    ...(due > 0n && { 'cac:PaymentTerms': { 'cbc:Note': 'Due on receipt' } }),
    ...(adjustments.length > 0 && { 'cac:AllowanceCharge': adjustments.map(adjustment(currency)) }),
    'cac:TaxTotal': taxTotal(currency, invoice),
    'cac:LegalMonetaryTotal': monetaryTotal(currency, invoice),
    [`cac:${name}Line`]: lines.map(line(currency, invoice)),
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build({ [name]: content })}`;
}
