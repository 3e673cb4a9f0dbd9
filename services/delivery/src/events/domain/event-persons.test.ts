import { createdEvent, receiptOf } from '../../testing/samples';
import { personHash } from '@receipts/contracts';
import { aboutOf, withoutPerson } from './event-persons';

const jane = 'jane@example.com';
const created = createdEvent('demo', receiptOf({ identifier: jane, properties: { email: jane } }));

it('finds an event by its subject and by the hash of the identifier that it contains', () => {
  expect(aboutOf(created)).toEqual([created.subject, personHash(jane)]);
  expect(aboutOf({ ...created, data: { id: 1 } })).toEqual([created.subject]);
});

it('keeps the figures of a receipt and removes its personal data', () => {
  const { total } = receiptOf();
  const scrubbed = withoutPerson(created);
  expect(JSON.stringify(scrubbed)).not.toContain(jane);
  expect(scrubbed).toMatchObject({
    ...{ id: created.id, subject: created.subject },
    data: { identifier: null, receipt: { identifier: null, total, properties: {} } },
  });
});

it('keeps only the hash of an identifier, and removes the address of a delivery', () => {
  const named = { identifier: jane, properties: { email: jane }, created_timestamp: 'x' };
  const known = withoutPerson({ ...created, type: 'identifier.updated', subject: jane, data: named });
  expect(known).toMatchObject({
    subject: personHash(jane),
    data: { identifier: personHash(jane), properties: {}, created_timestamp: 'x' },
  });
  const sent = { ...created, type: 'delivery.sent', data: { id: 'd', address: 'j***@example.com' } };
  expect(withoutPerson(sent).data).toEqual({ id: 'd', address: '***' });
});
