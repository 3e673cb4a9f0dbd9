import type { ReturnedReceipt } from '@receipts/contracts';

/** Amounts in tests have at most this many decimals, so that integers add them up exactly. */
const unit = 1_000;

const sum = (amounts: readonly number[]) =>
  amounts.reduce((all, amount) => all + Math.round(amount * unit), 0) / unit;

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return [...groups.keys()].sort().map((key) => groups.get(key) as T[]);
}

function rowOf(receipts: readonly ReturnedReceipt[]) {
  const first = receipts[0] as ReturnedReceipt;
  const voided = receipts.filter((receipt) => receipt.voided);
  const counted = receipts.filter((receipt) => !receipt.voided);
  const items = counted.flatMap((receipt) => receipt.items);
  const nets = counted.flatMap(({ net }) => net ?? []);
  const returned = items.filter((item) => item.return !== null || item.quantity < 0);
  const byTime = [...counted].sort((a, b) => Date.parse(a.localtime) - Date.parse(b.localtime));
  const payments = counted.flatMap((receipt) =>
    receipt.payments.map((payment) => ({ ...payment, currency: payment.currency ?? receipt.l10n.currency })),
  );
  const taxes = counted.flatMap((receipt) => receipt.taxes);
  return {
    day: first.localtime.slice(0, 10),
    store_reference: first.store_reference,
    till_uuid: first.till_uuid,
    currency: first.l10n.currency,
    receipts: counted.length,
    items: items.length,
    total: sum(counted.map(({ total }) => total)),
    net: nets.length === 0 ? null : sum(nets),
    discounts: sum([...counted, ...items].flatMap(({ discounts }) => discounts.map(({ amount }) => amount))),
    charges: sum(counted.flatMap(({ charges }) => charges.map(({ amount }) => amount))),
    tips: sum(
      counted.flatMap(({ payments: paid, l10n }) =>
        paid.flatMap(({ tip, currency }) =>
          tip !== null && (currency ?? l10n.currency) === l10n.currency ? [tip] : [],
        ),
      ),
    ),
    returns: { items: returned.length, total: sum(returned.map(({ total }) => total)) },
    voids: { receipts: voided.length, total: sum(voided.map(({ total }) => total)) },
    taxes: grouped(taxes, ({ name, rate }) => `${name} ${rate}`).map((some) => ({
      name: some[0]?.name,
      rate: some[0]?.rate,
      amount: sum(some.map(({ amount }) => amount)),
    })),
    payments: grouped(payments, ({ method, currency }) => `${method} ${currency}`).map((some) => ({
      method: some[0]?.method,
      currency: some[0]?.currency,
      count: some.length,
      amount: sum(some.flatMap(({ amount, change }) => [amount, -(change ?? 0)])),
    })),
    first_localtime: byTime[0]?.localtime ?? null,
    last_localtime: byTime.at(-1)?.localtime ?? null,
  };
}

/** The totals by day, store and till as a plain sum over receipts. Shares no code with the service. */
export function plainTotals(receipts: readonly ReturnedReceipt[]) {
  return grouped(
    receipts.filter(({ duplicate }) => !duplicate),
    ({ localtime, store_reference: store, till_uuid: till, l10n }) =>
      [localtime.slice(0, 10), store, till ?? '\uffff', l10n.currency].join(' '),
  ).map(rowOf);
}
