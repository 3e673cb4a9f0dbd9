let counter = 0;
const run = Date.now().toString(36);

/** A unique transaction id. */
export function uniqueId(prefix = 't'): string {
  counter += 1;
  return `${prefix}-${run}-${process.pid}-${counter}`;
}

/** A plausible receipt for posting. `overrides` replaces top-level members. */
export function aReceipt(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    transaction_id: uniqueId(),
    localtime: '2026-03-14T12:30:00',
    store_reference: 1,
    total: 25.48,
    items: [
      { name: 'Red cotton shirt', quantity: 1, total: 19.99, vat: { rate: 20, amount: 3.33 } },
      { name: 'Café crème', quantity: 2, total: 5.49 },
    ],
    payments: [{ method: 'cash', amount: 25.48 }],
    ...overrides,
  };
}
