import type { convertArrival as contract } from '@receipts/contracts';
import { ServiceError, unavailable, type Handler } from '@receipts/kernel';
import { convert, exceedsBacklog } from './convert';
import type { Parts } from './parts';

/** Converts a packet that is not stored yet, while ingest waits for the outcome. */
export function convertArrival(parts: Parts): Handler<typeof contract> {
  return async ({ params: packet, body: bytes }, call) => {
    if (exceedsBacklog(parts, call.retailer)) {
      throw new ServiceError(unavailable, { internal: 'the retailer has too much pending work' });
    }
    const outcome = await convert(parts, packet, bytes, call, call.deadline);
    parts.countOutcome(outcome.failure?.reason ?? 'converted');
    return { body: outcome };
  };
}
