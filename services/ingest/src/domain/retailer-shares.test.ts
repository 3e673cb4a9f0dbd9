import { RetailerShares } from './retailer-shares';

test('treats a retailer as flooding if it exceeds its share while others also send packets, but not if it is alone', () => {
  const shares = new RetailerShares(() => 0);
  for (let n = 0; n < 1_000; n++) shares.count('big');
  expect(shares.exceedsShare('big')).toBe(false);
  shares.count('small');
  expect(shares.exceedsShare('big')).toBe(true);
  expect(shares.exceedsShare('small')).toBe(false);
  expect(shares.exceedsShare('nobody')).toBe(false);
});

test('does not treat a few packets as a flood', () => {
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
