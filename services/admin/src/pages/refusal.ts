import { ServiceError } from '@receipts/kernel';

/**
 * An error that a page explains to the user, whose request caused it.
 * @throws any other error
 */
export function refusalIn(error: unknown): ServiceError {
  if (error instanceof ServiceError && error.status < 500) return error;
  throw error;
}

/** Undefined if another part of the platform answers with an error; the page is then shown without this part. */
export async function orUndefined<T>(answer: Promise<T> | undefined): Promise<T | undefined> {
  return answer?.catch((error: unknown) => {
    if (error instanceof ServiceError) return undefined;
    throw error;
  });
}
