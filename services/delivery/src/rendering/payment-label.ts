import type { Labels } from './labels';
import { clean } from './text';

const translated: Readonly<Record<string, keyof Labels>> = {
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

/** Names that are the same in every language. */
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
 * The name of a payment method: `gift_card`, `Gift Card` and `giftcard` are the same. An unknown method is shown as
 * sent.
 */
export function paymentLabel(method: string, labels: Labels): string {
  const key = method.toLowerCase().replace(/[\s_-]/g, '');
  if (Object.hasOwn(translated, key)) return labels[translated[key] as keyof Labels];
  return Object.hasOwn(named, key) ? (named[key] as string) : clean(method);
}
