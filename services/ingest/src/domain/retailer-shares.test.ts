import { RetailerShares } from './retailer-shares';

test('who sends more than its share while others send too floods; alone nobody does', () => {
  const shares = new RetailerShares(() => 0);
  for (let n = 0; n < 1_000; n++) shares.count('big');
  expect(shares.exceedsShare('big')).toBe(false);
  shares.count('small');
  expect(shares.exceedsShare('big')).toBe(true);
  expect(shares.exceedsShare('small')).toBe(false);
  expect(shares.exceedsShare('nobody')).toBe(false);
});

test('few packets are no flood', () => {
  const shares = new RetailerShares(() => 0);
  for (let n = 0; n < 99; n++) shares.count('big');
  shares.count('small');
  expect(shares.exceedsShare('big')).toBe(false);
});

test('what was a minute ago is forgotten', () => {
  let nowMs = 0;
  const shares = new RetailerShares(() => nowMs);
  for (let n = 0; n < 1_000; n++) shares.count('big');
  shares.count('small');
  nowMs = 30_000;
  expect(shares.exceedsShare('big')).toBe(true);
  nowMs = 60_000;
  expect(shares.exceedsShare('big')).toBe(false);
});
