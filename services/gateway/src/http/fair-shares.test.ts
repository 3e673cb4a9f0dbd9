import { type ServiceError } from '@receipts/kernel';
import { FairShares } from './fair-shares';

const takes = (shares: FairShares, retailer: string): boolean => {
  try {
    shares.enter(retailer);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ status: 429, code: 'rate_limited' });
    expect((error as ServiceError).headers).toEqual({ 'retry-after': '1' });
    return false;
  }
};
const takesUpTo = (shares: FairShares, retailer: string, most: number): number => {
  for (let count = 0; count < most; count++) if (!takes(shares, retailer)) return count;
  return most;
};

test('a retailer that is alone gets three quarters, and others find a place beside it', () => {
  const shares = new FairShares(100);
  expect(takesUpTo(shares, 'flood', 100)).toBe(75);
  expect(takesUpTo(shares, 'quiet', 25)).toBe(25);
});

test('as long as there is room nobody is held to a share', () => {
  const shares = new FairShares(1_000);
  for (let n = 0; n < 100; n++) expect(takes(shares, `quiet ${n}`)).toBe(true);
  expect(takesUpTo(shares, 'busy', 399)).toBe(399);
});

test('when it is crowded, who holds more than its share waits until it has given some back', () => {
  const shares = new FairShares(100);
  takesUpTo(shares, 'flood', 60);
  expect(takes(shares, 'quiet')).toBe(true);
  expect(takes(shares, 'flood')).toBe(false);
  for (let n = 0; n < 23; n++) shares.leave('flood');
  expect(takes(shares, 'flood')).toBe(true);
});

test('who is of no retailer, the operator, always finds a place', () => {
  const shares = new FairShares(4);
  expect(takesUpTo(shares, '', 10)).toBe(10);
});
