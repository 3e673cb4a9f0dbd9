import { deadlineSignal } from '@receipts/storage';
import type { Endpoint, Registry } from '../open-registry';

export function recordClientCalls({ clientCalls }: Registry): Endpoint<'recordClientCalls'> {
  return async ({ body }, call) => {
    await clientCalls.add(body, deadlineSignal(call));
    return {};
  };
}
