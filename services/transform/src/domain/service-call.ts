import { innerCall, type Call } from '@receipts/kernel';

/** The context of a message that this service sends because of another, with patience of its own. */
export function serviceCall(cause: Call, now: number, patienceMs: number): Call {
  return { ...innerCall('transform', cause, now), deadline: now + patienceMs };
}
