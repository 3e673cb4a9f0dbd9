import { deadlineSignal } from '@receipts/storage';
import type { Endpoint, Registry } from '../open-registry';

export function recordTokenUses({ tokens }: Registry): Endpoint<'recordTokenUses'> {
  return async ({ body }, call) => {
    await tokens.recordUses(body, deadlineSignal(call));
    return {};
  };
}
