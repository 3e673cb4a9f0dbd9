import { notFound, ServiceError, unavailable } from '@receipts/kernel';
import { nextDestination, transientRetriesMaxMs, unknownTriesMax } from './retry-router';
import { retrySteps } from '../topology/queues';

const stop = (error: unknown, attempts: number, ageMs = 0) => {
  const next = nextDestination(error, attempts, ageMs, retrySteps);
  return next === 'dead-letter' ? next : next.suffix;
};

describe('a failed message', () => {
  test('returns after 1 s, 10 s, 60 s and 10 min after an unexpected error, and is dead-lettered the fifth time', () => {
    const stops = [1, 2, 3, 4, 5].map((attempts) => stop(new Error('?'), attempts));
    expect(stops).toEqual(['retry.1s', 'retry.10s', 'retry.60s', 'retry.10m', 'dead-letter']);
    expect(unknownTriesMax).toBe(5);
  });

  test('is retried every ten minutes for 16 hours if a dependency is unavailable', () => {
    const error = new ServiceError(unavailable);
    expect(stop(error, 1)).toBe('retry.1s');
    expect(stop(error, 20)).toBe('retry.10m');
    expect(stop(error, 100, transientRetriesMaxMs - 1)).toBe('retry.10m');
    expect(stop(error, 100, transientRetriesMaxMs)).toBe('dead-letter');
  });

  test('is dead-lettered immediately if it was rejected', () => {
    expect(stop(new ServiceError(notFound), 1)).toBe('dead-letter');
  });
});
