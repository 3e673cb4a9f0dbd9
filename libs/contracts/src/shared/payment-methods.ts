/** The payment methods whose names are translated. */
export type PaymentKind =
  | 'cash'
  | 'card'
  | 'creditCard'
  | 'debitCard'
  | 'giftcard'
  | 'voucher'
  | 'bankTransfer'
  | 'points';

const kinds: Readonly<Record<string, PaymentKind>> = {
  cash: 'cash',
  card: 'card',
  creditcard: 'creditCard',
  credit: 'creditCard',
  debitcard: 'debitCard',
  debit: 'debitCard',
  giftcard: 'giftcard',
  voucher: 'voucher',
  coupon: 'voucher',
  banktransfer: 'bankTransfer',
  transfer: 'bankTransfer',
  points: 'points',
  loyaltypoints: 'points',
};

const named: Readonly<Record<string, string>> = {
  alipay: 'Alipay',
  amazonpay: 'Amazon Pay',
  amex: 'American Express',
  applepay: 'Apple Pay',
  bancontact: 'Bancontact',
  bizum: 'Bizum',
  blik: 'BLIK',
  girocard: 'girocard',
  googlepay: 'Google Pay',
  ideal: 'iDEAL',
  klarna: 'Klarna',
  maestro: 'Maestro',
  mastercard: 'Mastercard',
  mobilepay: 'MobilePay',
  paypal: 'PayPal',
  paypay: 'PayPay',
  samsungpay: 'Samsung Pay',
  swish: 'Swish',
  twint: 'TWINT',
  unionpay: 'UnionPay',
  vipps: 'Vipps',
  visa: 'Visa',
  wechatpay: 'WeChat Pay',
};

/**
 * The name of a payment method: `gift_card`, `Gift Card` and `giftcard` are the same. An unknown method is returned
 * unchanged.
 * @param translated the reader's name of a kind
 */
export function paymentMethodName(method: string, translated: (kind: PaymentKind) => string): string {
  const key = method.toLowerCase().replace(/[\s_-]/g, '');
  if (Object.hasOwn(kinds, key)) return translated(kinds[key] as PaymentKind);
  return Object.hasOwn(named, key) ? (named[key] as string) : method;
}
