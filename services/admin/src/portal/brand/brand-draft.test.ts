import { defaultRetailerSettings } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { changesOf, draftOf } from './brand-draft';

const empty = draftOf(defaultRetailerSettings.brand);

it('uses the defaults for empty fields', () => {
  const { translations: _, ...defaults } = defaultRetailerSettings.brand;
  expect(changesOf(empty)).toEqual(defaults);
});

it('reads a link from each line, and writes it back', () => {
  const links = 'Terms of sale https://shop.example/terms\r\n\r\n  https://shop.example ';
  const changes = changesOf({ ...empty, links });
  expect(changes.links).toEqual([
    { name: 'Terms of sale', href: 'https://shop.example/terms' },
    { name: 'https://shop.example', href: 'https://shop.example' },
  ]);
  const brand = { ...defaultRetailerSettings.brand, ...changes };
  expect(changesOf(draftOf(brand))).toEqual(changes);
});

it.each([
  [{ colour: 'red' }, '/colour'],
  [{ logo: 'javascript:1' }, '/logo'],
  [{ links: 'Terms' }, '/links/0/href'],
  [{ header: 'a'.repeat(2001) }, '/header'],
])('rejects %j', (change, path) => {
  const attempt = () => changesOf({ ...empty, ...change });
  expect(attempt).toThrow(ServiceError);
  expect(attempt).toThrow(
    expect.objectContaining({ status: 422, errors: [expect.objectContaining({ path })] }),
  );
});
