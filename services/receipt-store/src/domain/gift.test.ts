import { newId } from '@receipts/kernel';
import { chosenItems, giftId, readGiftId } from './gift';

test('a returns code has 34 decimal digits and names the receipt and the gift receipt', () => {
  for (const name of [
    { receiptId: newId(), version: 2 },
    { receiptId: '0'.repeat(24), version: 1 },
    { receiptId: 'f'.repeat(24), version: 0xffff },
  ]) {
    expect(giftId(name)).toMatch(/^\d{34}$/);
    expect(readGiftId(giftId(name))).toEqual(name);
  }
});

test.each(['', '1', 'x'.repeat(34), '9'.repeat(34), `${'0'.repeat(34)}\n`, ` ${'0'.repeat(33)}`])(
  'does not read %j as a returns code',
  (text) => expect(readGiftId(text)).toBeUndefined(),
);

const receipt = (...quantities: number[]) =>
  ({ items: quantities.map((quantity) => ({ quantity })) }) as never;

test('chooses all items but returned ones by default', () => {
  expect(chosenItems(receipt(1, -1, 0, 2.5), {})).toEqual({ items: [0, 2, 3], faults: [] });
  expect(chosenItems(receipt(-1), {}).faults).toMatchObject([{ path: '/items' }]);
});

test('keeps the order of the receipt, and names each fault of a choice', () => {
  expect(chosenItems(receipt(1, 1, 1), { items: [2, 0] }).items).toEqual([0, 2]);
  expect(chosenItems(receipt(1, 1), { items: [0, 2, 0, 3] }).faults).toMatchObject([
    { path: '/items/1', code: 'invalid_value' },
    { path: '/items/2', code: 'duplicate' },
    { path: '/items/3', code: 'invalid_value' },
  ]);
});
