import { returnedReceipt, returnedReceiptExample } from '@receipts/contracts';
import { inPresentForm, receiptForm } from './receipt-form';

const textOf = (receipt: object) => JSON.stringify(receipt);
const read = (receipt: object, form?: number) =>
  JSON.parse(inPresentForm({ text: textOf(receipt), ...(form !== undefined && { form }) }).text) as Record<
    string,
    unknown
  >;

/** What every receipt has had from the first release on. */
const least = {
  ...{ id: '01JD0000000000000000000000', transaction_id: 'T-1', store_reference: '7', total: 12.5 },
  ...{ localtime: '2024-05-17T14:03:22+02:00', timestamp: '2024-05-17T12:03:22+00:00' },
  retailer: { name: 'Demo' },
  l10n: { locale: 'en_GB', timezone: 'Europe/London', currency: 'GBP' },
};

test('a receipt of the present form is given as it is stored, byte for byte', () => {
  const stored = { text: '{"id": "1" }', form: receiptForm };
  expect(inPresentForm(stored)).toBe(stored);
});

test('one of a later release is left alone, and so is what has no text', () => {
  const later = { text: '{}', form: receiptForm + 1 };
  const deleted = { deleted_at: 1 } as { readonly text?: string };
  expect(inPresentForm(later)).toBe(later);
  expect(inPresentForm(deleted)).toBe(deleted);
});

test('form 0: every documented key is there afterwards', () => {
  const receipt = read({
    ...least,
    items: [
      {
        name: 'Shirt',
        quantity: 1,
        total: 12.5,
        vat: { rate: 20, amount: 2 },
        taxes: [{ name: 'A', amount: 1 }],
      },
      {
        name: 'Hat',
        quantity: -1,
        total: -3,
        return: { localtime: least.localtime },
        discounts: [{ name: 'x', amount: 1 }],
      },
    ],
    payments: [{ method: 'cash', amount: 12.5 }],
    vat: [{ rate: 20, amount: 2 }],
  });
  expect(returnedReceipt.safeParse(receipt).error).toBeUndefined();
  expect(Object.keys(receipt).sort()).toEqual(Object.keys(returnedReceipt.shape).sort());
});

test('form 0: what is there stays, also what is not documented, and `null` stays `null`', () => {
  const whole = structuredClone(returnedReceiptExample) as Record<string, unknown>;
  expect(read(whole)).toEqual(whole);
  const text = textOf(least).replace('{', '{"extra":{"a.b":1,"__proto__":{"c":2}},"store":null,');
  const { text: brought } = inPresentForm({ text });
  expect(brought).toContain('"extra":{"a.b":1,"__proto__":{"c":2}}');
});

test('what was brought up is not brought up again', () => {
  const once = inPresentForm({ text: textOf(least) });
  expect(inPresentForm(once)).toBe(once);
});
