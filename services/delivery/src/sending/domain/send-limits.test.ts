import { ServiceError } from '@receipts/kernel';
import { addressLimit, checkSendLimit, receiptLimit } from './send-limits';

const now = new Date('2026-05-17T10:00:00Z');
const secondsAgo = (...seconds: number[]) => seconds.map((s) => new Date(now.getTime() - s * 1000));

function outcome(limit: typeof addressLimit, times: readonly Date[], wanted = 1): string {
  try {
    checkSendLimit(limit, times, wanted, now);
    return 'allowed';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `${error.status} ${error.code} ${error.headers?.['retry-after']}`;
  }
}

it.each([
  ['none', [], 'allowed'],
  ['four', [1, 2, 3, 4], 'allowed'],
  ['five', [1, 2, 3, 4, 5], '429 rate_limited 595'],
  ['five, one of which has left the window', [1, 2, 3, 4, 600], 'allowed'],
  ['five, one of which is about to leave the window', [1, 2, 3, 4, 599.5], '429 rate_limited 1'],
])('limits sends to one address, after %s in ten minutes', (_what, ago, expected) => {
  expect(outcome(addressLimit, secondsAgo(...ago))).toBe(expected);
});

it('counts concurrent sends individually', () => {
  expect(outcome(addressLimit, secondsAgo(1, 2, 3), 2)).toBe('allowed');
  expect(outcome(addressLimit, secondsAgo(1, 2, 3, 4), 2)).toBe('429 rate_limited 596');
});

it('limits a receipt to twenty sends a day', () => {
  const hours = (count: number) => secondsAgo(...Array.from({ length: count }, (_, i) => (i + 1) * 3600));
  expect(outcome(receiptLimit, hours(19))).toBe('allowed');
  expect(outcome(receiptLimit, hours(20))).toBe(`429 rate_limited ${4 * 3600}`);
});
