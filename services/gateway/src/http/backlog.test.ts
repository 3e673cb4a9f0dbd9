import { type ServiceError } from '@receipts/kernel';
import { Backlog } from './upstream';

const limits = { messagesMax: 100, secondsMax: 60, outboxSecondsMax: 30 };

const takes = (backlog: Backlog, retailer: string): boolean => {
  try {
    backlog.enter('ingest', retailer);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ status: 503, code: 'unavailable' });
    const { headers } = error as ServiceError;
    expect(Number(headers?.['retry-after'])).toBeGreaterThanOrEqual(5);
    return false;
  }
};

test('rejects all requests while the backlog is above the limit', () => {
  const backlog = new Backlog(limits);
  expect(takes(backlog, 'a')).toBe(true);
  backlog.note('ingest', 100);
  expect(takes(backlog, 'a')).toBe(false);
  backlog.note('receipt-store', 0);
  expect(takes(backlog, 'a')).toBe(false);
  backlog.note('ingest', 99);
  expect(takes(backlog, 'a')).toBe(true);
});

test('above half of the limit, rejects only callers that exceed their share', () => {
  const backlog = new Backlog(limits);
  backlog.note('ingest', 50);
  for (let n = 0; n < 20; n++) expect(takes(backlog, 'flood')).toBe(true);
  expect(takes(backlog, 'quiet')).toBe(true);
  expect(takes(backlog, 'flood')).toBe(false);
  expect(takes(backlog, 'quiet')).toBe(true);
  expect(takes(backlog, 'other')).toBe(true);
  backlog.note('ingest', 49);
  expect(takes(backlog, 'flood')).toBe(true);
});

test('rejects requests while the backlog is old, unless it is tiny', () => {
  let now = 0;
  const backlog = new Backlog(limits, () => now);
  const pass = (seconds: number, messages: number) => {
    now += seconds * 1_000;
    backlog.note('ingest', messages);
    return takes(backlog, 'a');
  };
  expect([pass(0, 10), pass(59, 3), pass(1, 3)]).toEqual([true, true, false]);
  expect([pass(5, 1), pass(100, 1), pass(0, 40), pass(59, 40)]).toEqual([true, true, true, true]);
  expect([pass(1, 2), pass(0, 0)]).toEqual([false, true]);
});

test('rejects changes while many events of their owner have been unpublished for a long time', () => {
  let now = 0;
  const backlog = new Backlog(limits, () => now);
  const check = () => backlog.checkOutbox('receipt-store');
  expect(check).not.toThrow();
  backlog.noteOutbox('receipt-store', { documents: 5_000, oldestAgeMs: 29_999 });
  expect(check).not.toThrow();
  // An unknown queue is not a reason to reject requests.
  backlog.noteOutbox('receipt-store', { documents: 1, oldestAgeMs: 3_600_000 });
  expect(check).not.toThrow();
  backlog.noteOutbox('receipt-store', { documents: 5_000, oldestAgeMs: 30_000 });
  expect(check).toThrow(expect.objectContaining({ status: 503, code: 'unavailable' }));
  expect(() => backlog.checkOutbox('admin')).not.toThrow();
  now += 60_000;
  expect(check).not.toThrow();
});
