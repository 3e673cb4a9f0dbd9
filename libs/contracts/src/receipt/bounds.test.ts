import { receiptItemsMax, receiptPropertiesMax, tooManyInReceipt } from '.';

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));
const items = (count: number) => Array.from({ length: count }, () => ({ name: 'x', quantity: 1, total: 1 }));

test('limits the items of a receipt', () => {
  expect(tooManyInReceipt({ items: items(receiptItemsMax) })).toBeUndefined();
  expect(tooManyInReceipt({ items: items(receiptItemsMax + 1) })).toMatch(/5000 items/);
});

test('limits the total number of members in all free-form objects of a receipt, at every depth', () => {
  const half = receiptPropertiesMax / 2;
  const receipt = (inItem: number) => ({
    properties: { deep: { list: [many(half - 3)] } },
    items: [{ properties: { deep: many(inItem) }, taxes: [{ name: 'x', properties: {} }] }],
  });
  expect(tooManyInReceipt(receipt(half))).toBeUndefined();
  expect(tooManyInReceipt(receipt(half + 1))).toMatch(/10000 properties/);
});

test.each([[null], [1], [[]], [{ items: 1 }], [{ properties: 1 }]])('leaves %j to the schema', (value) => {
  expect(tooManyInReceipt(value)).toBeUndefined();
});
