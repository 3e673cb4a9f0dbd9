import { paymentMethodName, type ReturnedReceipt } from '@receipts/contracts';
import type { Formats } from './formats';
import { mapped, type Steps } from '../in-steps';
import type { Labels } from '../labels/labels';
import type { Line } from './line';
import { present } from './text';

export type PaymentView = Line & { readonly details: readonly string[] };

type Payment = ReturnedReceipt['payments'][number];

/** Gift card numbers are posted in full, and anyone who sees one can spend the balance. */
const lastFour = (number: string) => `•••• ${[...number.replace(/[^\p{L}\p{N}]/gu, '')].slice(-4).join('')}`;

/** What the card scheme requires on the receipt. AID, ARQC and RRN have these names in all languages. */
function cardFacts(details: Payment, labels: Labels): readonly (string | null)[] {
  const entryModes: Readonly<Record<string, string>> = {
    chip: labels.entryChip,
    contactless: labels.entryContactless,
    swipe: labels.entrySwipe,
    keyed: labels.entryKeyed,
    ecommerce: labels.entryEcommerce,
  };
  const verifications: Readonly<Record<string, string>> = {
    pin: labels.cvmPin,
    signature: labels.cvmSignature,
    device: labels.cvmDevice,
    none: labels.cvmNone,
  };
  const named = (label: string, value: string | null | undefined) => (value ? `${label} ${value}` : null);
  return [
    entryModes[details.entry_mode ?? ''] ?? null,
    verifications[details.cvm ?? ''] ?? null,
    named(labels.authorization, details.authorization_code),
    named(labels.terminal, details.terminal_id),
    named(labels.merchant, details.merchant_id),
    named('AID', details.aid),
    named('ARQC', details.arqc),
    named('RRN', details.rrn),
  ];
}

/** The payments, each with its facts. */
export function paymentViews(
  receipt: ReturnedReceipt,
  formats: Formats,
  labels: Labels,
): Steps<readonly PaymentView[]> {
  return mapped(receipt.payments, (payment) => {
    const details = { ...payment, ...payment.details };
    const { brand, type, number, change, balance, tip } = details;
    const money = (amount: number) => formats.money(amount, payment.currency);
    const [label = ''] = present([paymentMethodName(payment.method, (kind) => labels[kind])]);
    return {
      label,
      amount: money(payment.amount),
      details: present([
        brand,
        type === brand ? null : type,
        number ? lastFour(number) : null,
        tip ? `${labels.tip} ${money(tip)}` : null,
        change ? `${labels.change} ${money(change)}` : null,
        balance === null || balance === undefined ? null : `${labels.balance} ${money(balance)}`,
        ...cardFacts(details, labels),
      ]),
    };
  });
}
