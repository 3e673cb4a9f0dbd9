import { RetailerShares } from './retailer-shares';

test('a retailer that exceeds its share while others send is flooding; alone it is not', () => {
  const shares = new RetailerShares(() => 0);
  for (let n = 0; n < 1_000; n++) shares.count('big');
  expect(shares.exceedsShare('big')).toBe(false);
  shares.count('small');
  expect(shares.exceedsShare('big')).toBe(true);
  expect(shares.exceedsShare('small')).toBe(false);
  expect(shares.exceedsShare('nobody')).toBe(false);
});

test('a few packets are not a flood', () => {
  const shares = new RetailerShares(() => 0);
  for (let n = 0; n < 99; n++) shares.count('big');
  shares.count('small');
  expect(shares.exceedsShare('big')).toBe(false);
});

test('forgets packets after a minute', () => {
  let nowMs = 0;
  const shares = new RetailerShares(() => nowMs);
  for (let n = 0; n < 1_000; n++) shares.count('big');
  shares.count('small');
  nowMs = 30_000;
  expect(shares.exceedsShare('big')).toBe(true);
  nowMs = 60_000;
  expect(shares.exceedsShare('big')).toBe(false);
});
