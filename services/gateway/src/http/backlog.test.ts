import { type ServiceError } from '@receipts/kernel';
import { Backlog } from './upstream';

const messagesMax = 100;

const takes = (backlog: Backlog, retailer: string): boolean => {
  try {
    backlog.enter(retailer);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ status: 503, code: 'unavailable' });
    const { headers } = error as ServiceError;
    expect(Number(headers?.['retry-after'])).toBeGreaterThanOrEqual(5);
    return false;
  }
};

test('rejects all requests while the backlog is above the limit', () => {
  const backlog = new Backlog(messagesMax);
  expect(takes(backlog, 'a')).toBe(true);
  backlog.note(100);
  expect(takes(backlog, 'a')).toBe(false);
  backlog.note(99);
  expect(takes(backlog, 'a')).toBe(true);
});

test('above half of the limit, rejects only callers that exceed their share', () => {
  const backlog = new Backlog(messagesMax);
  backlog.note(50);
  for (let n = 0; n < 20; n++) expect(takes(backlog, 'flood')).toBe(true);
  expect(takes(backlog, 'quiet')).toBe(true);
  expect(takes(backlog, 'flood')).toBe(false);
  expect(takes(backlog, 'quiet')).toBe(true);
  expect(takes(backlog, 'other')).toBe(true);
  backlog.note(49);
  expect(takes(backlog, 'flood')).toBe(true);
});
