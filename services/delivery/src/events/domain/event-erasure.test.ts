import { receiptUpdated, personHash } from '@receipts/contracts';
import type { EventRecord } from '@receipts/kernel';
import { createdEvent, itemOf, receiptOf } from '../../testing/samples';
import { aboutOf, withoutErased } from './event-erasure';

const jane = 'jane@example.com';
const named = { note: jane };
const filename = `${jane}.pdf`;
const file = { id: 'file', url: '/attachments/file', content_type: 'text/plain', filename, size: 1 };
const receipt = receiptOf({
  identifier: jane,
  properties: { email: jane },
  dynamic: named,
  attachments: { [jane]: file },
  discounts: [{ name: 'Off', quantity: null, amount: -1, percentage: null, properties: named }],
  items: [
    itemOf({
      properties: named,
      dynamic: named,
      return: { localtime: '2026-05-17T10:00:00+02:00', reason: jane, properties: named },
    }),
  ],
  voided: { timestamp: '2026-05-17T10:00:00+00:00', reason: jane, transaction_id: 'V-1' },
});
const created = createdEvent('demo', receipt);
const eventOf = (type: string, data: object, subject = 'subject') => ({ ...created, type, subject, data });
const { shape } = receiptUpdated.data.shape.receipt;
const receiptIn = (event: EventRecord) => (event.data as { receipt: object }).receipt;

it('finds an event by its subject, consumer, receipts and attachments', () => {
  expect(aboutOf(created)).toEqual([created.subject, personHash(jane), 'attachment/file']);
  expect(aboutOf({ ...created, data: { id: 1 } })).toEqual([created.subject]);
  const packet = { metadata: { identifier: jane }, receipt_id: 'r1', receipt_ids: ['r1', 'r2'] };
  expect(aboutOf(eventOf('pos_receipt.converted', packet))).toEqual([
    'subject',
    personHash(jane),
    'r1',
    'r2',
  ]);
  expect(aboutOf(eventOf('delivery.sent', { receipt_id: 'r1' }))).toEqual(['subject', 'r1']);
});

it('keeps the figures of a receipt and removes everything that may name its consumer', () => {
  const { total, items, store } = receipt;
  const event = withoutErased(created, 'consumer');
  expect(JSON.stringify(event)).not.toContain(jane);
  expect(event).toMatchObject({
    id: created.id,
    subject: created.subject,
    data: { identifier: null, receipt: { identifier: null, total, store, properties: {}, attachments: {} } },
  });
  expect(receiptIn(event)).toMatchObject({ items: [{ name: items[0]?.name, total: items[0]?.total }] });
  expect(withoutErased(event, 'consumer')).toEqual(event);
});

it('keeps only the facts of a deleted receipt, in the form of a receipt', () => {
  const { id, total, store, retailer, l10n } = receipt;
  const event = withoutErased(created, 'receipt');
  const left = receiptIn(event);
  expect(JSON.stringify(event)).not.toContain(jane);
  expect(left).toMatchObject({ id, total, store, retailer, l10n, items: [], discounts: [], voided: null });
  expect(Object.keys(left).sort()).toEqual(Object.keys(shape).sort());
  for (const [name, value] of Object.entries(left)) {
    expect([name, shape[name as keyof typeof shape].safeParse(value).success]).toEqual([name, true]);
  }
});

it('removes the consumer, the reasons of a failure and parameters of the type from events of a raw receipt', () => {
  const metadata = { identifier: jane, store_reference: '1' };
  const errors = [{ path: '/0', code: 'invalid', message: jane }];
  const failed = eventOf('pos_receipt.failed', { metadata, errors, content_type: `a/b; name=${jane}` });
  expect(withoutErased(failed, 'consumer').data).toEqual({
    metadata: { store_reference: '1' },
    errors: [],
    content_type: 'a/b',
  });
});

it('removes the name of an attachment', () => {
  expect(withoutErased(eventOf('attachment.created', file), 'consumer').data).toEqual({
    ...file,
    filename: '***',
  });
});

it('keeps only the hash of an identifier, and removes the address of a delivery', () => {
  const data = { identifier: jane, properties: { email: jane }, created_timestamp: 'x' };
  expect(withoutErased(eventOf('identifier.updated', data, jane), 'consumer')).toMatchObject({
    subject: personHash(jane),
    data: { identifier: personHash(jane), properties: {}, created_timestamp: 'x' },
  });
  const reward = eventOf('loyalty.reward_issued', { identifier: jane, value: 5 });
  expect(withoutErased(reward, 'consumer').data).toEqual({ identifier: personHash(jane), value: 5 });
  const sent = eventOf('delivery.sent', { id: 'd', address: 'j***@example.com', reason: 'refused' });
  expect(withoutErased(sent, 'consumer').data).toEqual({ id: 'd', address: '***', reason: 'refused' });
});
