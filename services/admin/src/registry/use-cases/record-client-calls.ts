import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';

export function recordClientCalls({ clientCalls }: Registry): HandlerOf<'recordClientCalls'> {
  return async ({ body }, call) => {
    await clientCalls.add(body, deadlineSignal(call));
    return {};
  };
}
