import { demoReceipts } from './demo-receipts';
import { shops } from './shops';

const now = new Date('2026-03-14T12:00:00Z');
const cents = (amount: unknown) => Math.round((amount as number) * 100);
const sum = (parts: unknown, field: string) =>
  ((parts ?? []) as Record<string, unknown>[]).reduce((all, part) => all + cents(part[field] ?? 0), 0);

describe.each(shops)('$name', (shop) => {
  const receipts = demoReceipts(shop, now, 90, 3000);

  it('returns the same receipts for the same arguments, oldest first, none in the future', () => {
    expect(demoReceipts(shop, now, 90, 3000)).toEqual(receipts);
    const times = receipts.map(({ localtime }) => String(localtime));
    expect(times).toEqual([...times].sort());
    expect([times[0]?.slice(0, 10), times.at(-1)?.slice(0, 10)]).toEqual(['2025-12-15', '2026-03-14']);
    expect(times.at(-1)?.slice(11) ?? '').toMatch(/^(0\d|1[01]):/);
    expect(new Set(receipts.map(({ transaction_id }) => transaction_id)).size).toBe(receipts.length);
  });

  it('adds up, except for a few payments', () => {
    for (const { items, discounts, total } of receipts) {
      expect(sum(items, 'total') + sum(discounts, 'amount')).toBe(cents(total));
    }
    const wrong = receipts.filter(
      ({ payments, total }) => sum(payments, 'amount') - sum(payments, 'change') !== cents(total),
    );
    expect(wrong.length).toBeGreaterThan(0);
    expect(wrong.length).toBeLessThan(receipts.length / 100);
  });

  it('returns items of earlier sales', () => {
    const numbers = receipts.map(({ transaction_id }) => transaction_id);
    const returns = receipts.filter(({ related }) => related !== undefined);
    expect(returns.length).toBeGreaterThan(10);
    for (const { related, transaction_id } of returns) {
      const sale = numbers.indexOf((related as [{ transaction_id: string }])[0].transaction_id);
      expect(sale).toBeGreaterThanOrEqual(0);
      expect(sale).toBeLessThan(numbers.indexOf(transaction_id));
    }
  });
});
