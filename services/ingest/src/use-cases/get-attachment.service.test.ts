import { newId } from '@receipts/kernel';
import { refusalOf, worldOfTests } from '../testing/world';

const world = worldOfTests();

const get = (id: string, changes = {}) => world.ask('getAttachment', { params: { id } }, changes);

test('returns the bytes with their type and name', async () => {
  const body = Buffer.from([0, 255, 128]);
  const id = await world.upload({
    body,
    contentType: 'image/png',
    disposition: 'attachment; filename=a.png',
  });
  const found = await get(id);
  expect(found.body).toEqual(body);
  expect(found.meta).toEqual({ contentType: 'image/png', filename: 'a.png' });
});

test('does not find a missing attachment or one of another retailer', async () => {
  expect(await refusalOf(get('0'.repeat(24)))).toBe('404 attachment_not_found');
  const id = await world.upload();
  expect(await refusalOf(get(id, { retailer: newId() }))).toBe('404 attachment_not_found');
});

test('allows only the consumer whose receipt refers to the attachment to read it', async () => {
  const joe = { consumers: ['joe'] };
  const attachment = await world.upload({ call: joe });
  expect(await refusalOf(get(attachment, joe))).toBe('404 attachment_not_found');
  world.shown.push({ consumer: 'joe', attachment });
  expect((await get(attachment, joe)).body.toString()).toBe('bytes');
  expect(await refusalOf(get(attachment, { consumers: ['ann'] }))).toBe('404 attachment_not_found');
  world.shown.pop();
  expect(await refusalOf(get(attachment, joe))).toBe('404 attachment_not_found');
});

test('does not require a receipt for an unrestricted caller', async () => {
  const before = world.broker.received.length;
  await get(await world.upload());
  const queryOf = world.broker.received.slice(before).map(({ name }) => name);
  expect(queryOf).not.toContain('receipt-store.find-receipt-with-attachment');
});
