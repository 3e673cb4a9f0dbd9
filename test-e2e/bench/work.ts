/** Replaced by a unique number in each request. */
export const placeholder = '%UNIQUE%%%';

const items = Array.from({ length: 5 }, (_, index) => ({
  name: `Cotton shirt number ${index}`,
  quantity: index + 1,
  total: 3.99 + index,
  vat: { rate: 20, amount: 0.67 },
  properties: {
    product_code: `CODE-${index}`,
    category: 'clothing',
    details: ['blue', 'size 40', 'pure cotton'],
  },
}));

/** A receipt of an existing store with a consumer; 1.5 KB. Every third or fourth earns its consumer a reward. */
export const receiptBody = JSON.stringify({
  transaction_id: `bench-${placeholder}`,
  identifier: 'joe.smith@example.com',
  localtime: '2026-03-14T12:30:00',
  store_reference: 1,
  total: 29.95,
  items,
  payments: [{ method: 'card', amount: 29.95, details: { number: '1234', type: 'visa' } }],
  properties: { operator: 'Anna', salesperson: 'Joe Smith', note: 'x'.repeat(250) },
});

/** A packet for the demo retailer's JSON mapping; 2 KB, most of it items. */
export const packetBody = JSON.stringify({
  receipt: {
    no: `P-${placeholder}`,
    closedAt: '2026-03-14T12:30:45',
    branch: '1',
    register: '3',
    cashier: 'Marie',
    customer: { mail: 'joe@example.com' },
    lines: Array.from({ length: 14 }, (_, index) => ({
      text: `Cotton shirt number ${index}`,
      sku: `10020${index}`,
      qty: 1,
      unitPrice: '1,99',
      amount: '1,99',
      vat: 20,
    })),
    tenders: [{ type: 'VISA', amount: '27,86', pan: '497010******1234' }],
    totals: { gross: '27,86', net: '23,22' },
    taxes: [{ rate: 20, amount: '4,64' }],
  },
});

const receiptsOfBatch = 100;

/** A hundred receipts for `POST /receipts/_batch`. */
export const batchBody = Array.from({ length: receiptsOfBatch }, (_, n) =>
  receiptBody.replace(placeholder, `${placeholder}-${n}`),
).join('\n');
