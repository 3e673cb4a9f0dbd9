import { newId, ServiceError, type Call } from '@receipts/kernel';
import { patiently } from './until';

const timeoutMs = patiently(60_000);

/** A call as sent by the gateway for a client of a retailer. */
export function callOf(retailer: string, changes: Partial<Call> = {}): Call {
  const at = Date.now();
  const principal = { kind: 'client', id: 'bearer:1' } as const;
  return { id: newId(), requestId: newId(), retailer, principal, deadline: at + timeoutMs, at, ...changes };
}

/**
 * The error of a rejected call.
 * @throws any other error, and an Error if the call was not rejected
 */
export async function refusal(work: Promise<unknown> | (() => unknown)): Promise<ServiceError> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('the call was not rejected');
}

/** The error of a rejected call in short form: `422 schema_validation_failed /name /country`, or `no refusal`. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof Error && !(outcome instanceof ServiceError)) throw outcome;
  if (!(outcome instanceof ServiceError)) return 'no refusal';
  const { status, code, errors = [] } = outcome;
  return [status, code, ...errors.map(({ path }) => path)].join(' ');
}
