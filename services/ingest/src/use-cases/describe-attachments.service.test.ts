import { newId } from '@receipts/kernel';
import { refusalOf, worldOfTests } from '../testing/world';

const world = worldOfTests();

const describeAll = async (ids: string[]) =>
  (await world.ask('describeAttachments', { body: { ids } })).body.attachments;

test('returns the name, type and size of each attachment once', async () => {
  const [one, other] = [
    await world.upload(),
    await world.upload({ body: '%PDF', contentType: 'application/pdf' }),
  ];
  const found = await describeAll([one, other, one]);
  const url = (id: string) => `/attachments/${id}`;
  expect(found).toHaveLength(2);
  expect(found).toContainEqual({
    id: one,
    url: url(one),
    content_type: 'text/plain',
    filename: 'a.txt',
    size: 5,
  });
  expect(found).toContainEqual({
    id: other,
    url: url(other),
    content_type: 'application/pdf',
    filename: 'a.txt',
    size: 4,
  });
});

test('omits unknown attachments and those of other retailers', async () => {
  const foreign = await world.upload({ call: { retailer: newId() } });
  const own = await world.upload();
  expect(await describeAll([foreign, own, 'x'])).toMatchObject([{ id: own }]);
  expect(await describeAll([])).toEqual([]);
});

test('accepts at most 1,000 ids', async () => {
  expect(await describeAll(Array.from({ length: 1_000 }, () => 'x'))).toEqual([]);
  const tooMany = describeAll(Array.from({ length: 1_001 }, () => 'x'));
  expect(await refusalOf(tooMany)).toBe('422 schema_validation_failed /ids');
});
