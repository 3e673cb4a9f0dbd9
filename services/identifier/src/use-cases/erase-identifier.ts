import { identifierNotFound, type identifierContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { Dependencies } from './dependencies';

/** Requests the erasure of a consumer. Credentials restricted to consumers can erase only those consumers. */
export function eraseIdentifier(
  deps: Dependencies,
): Handler<(typeof identifierContracts)['eraseIdentifier']> {
  const { identifiers, erasures, wakeErasing, now } = deps;
  return async ({ params: { identifier } }, call) => {
    const { retailer, consumers, requestId, traceparent } = call;
    if (consumers && !consumers.includes(identifier)) throw new ServiceError(identifierNotFound);
    const signal = deadlineSignal(call);
    // The order matters: an identifier that is found after its erasure was finished has been created again.
    const erasure = await erasures.find(retailer, identifier, signal);
    const known = await identifiers.find(retailer, identifier, signal);
    if (!known && !erasure) throw new ServiceError(identifierNotFound);
    if (!known && erasure?.status === 'done') return { meta: { isDone: true } };
    if (erasure?.status !== 'pending') {
      const cause = { requestId, ...(traceparent !== undefined && { traceparent }) };
      await erasures.request({ retailer, identifier, ...cause }, now(), signal);
    }
    wakeErasing();
    return { meta: { isDone: false } };
  };
}
