import { ServiceError, unavailable } from '@receipts/kernel';

/** If the broker fails, the caller gets 503. */
export async function orUnavailable<T>(step: Promise<T>): Promise<T> {
  return step.catch((cause: unknown) => {
    throw new ServiceError(unavailable, { cause });
  });
}
