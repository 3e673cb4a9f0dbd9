import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';

export function recordTokenUses({ tokens }: Registry): HandlerOf<'recordTokenUses'> {
  return async ({ body }, call) => {
    await tokens.recordUses(body, deadlineSignal(call));
    return {};
  };
}
