import { type ServiceError } from '@receipts/kernel';
import { Backlog } from './backlog';

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

test('while too much waits everything is turned away, and taken again as soon as less does', () => {
  const backlog = new Backlog(100);
  expect(takes(backlog, 'a')).toBe(true);
  backlog.note('ingest', 100);
  expect(takes(backlog, 'a')).toBe(false);
  backlog.note('receipt-store', 0);
  expect(takes(backlog, 'a')).toBe(false);
  backlog.note('ingest', 99);
  expect(takes(backlog, 'a')).toBe(true);
});

test('from half of the bound on, who sends more than its share is turned away, and nobody else', () => {
  const backlog = new Backlog(100);
  backlog.note('ingest', 50);
  for (let n = 0; n < 20; n++) expect(takes(backlog, 'flood')).toBe(true);
  expect(takes(backlog, 'quiet')).toBe(true);
  expect(takes(backlog, 'flood')).toBe(false);
  expect(takes(backlog, 'quiet')).toBe(true);
  expect(takes(backlog, 'other')).toBe(true);
  backlog.note('ingest', 49);
  expect(takes(backlog, 'flood')).toBe(true);
});
