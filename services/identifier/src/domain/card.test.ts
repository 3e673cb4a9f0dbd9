import { CodeHashes, isLuhnNumber } from './card';

it.each(['4539578763621486', '79927398713', '18', '00', '0000000000000000'])('accepts "%s"', (number) =>
  expect(isLuhnNumber(number)).toBe(true),
);
it.each(['4539578763621487', '79927398710', '', '0', '4539 5787 6362 1486', '4539578763621486x', '٤٢'])(
  'rejects "%s"',
  (number) => expect(isLuhnNumber(number)).toBe(false),
);

it('creates a different hash for each retailer, card, code and secret', () => {
  const hashes = new CodeHashes(['secret']);
  const all = [
    hashes.of('a', '1', '2'),
    hashes.of('b', '1', '2'),
    hashes.of('a', '12', ''),
    hashes.of('a', '1', '3'),
    new CodeHashes(['other']).of('a', '1', '2'),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(hashes.of('a', '1', '2')).toBe(all[0]);
});

it('accepts the code of a known card, even after the secret was replaced, and no code for an unknown card', () => {
  const hashes = new CodeHashes(['old']);
  const kept = hashes.of('a', '1', '2');
  expect(hashes.isCodeOf('a', '1', '2', kept)).toBe(true);
  expect(hashes.isCodeOf('a', '1', '3', kept)).toBe(false);
  expect(hashes.isCodeOf('a', '1', '2', undefined)).toBe(false);
  expect(new CodeHashes(['new', 'old']).isCodeOf('a', '1', '2', kept)).toBe(true);
  expect(new CodeHashes(['new']).isCodeOf('a', '1', '2', kept)).toBe(false);
});
