import { deadlineSignal } from '@receipts/storage';
import type { Endpoint, Operations } from '../open-operations';

export function recordOperatorAction(deps: Operations): Endpoint<'recordOperatorAction'> {
  return async ({ body }, call) => {
    await deps.actions.note(body, deadlineSignal(call));
    return {};
  };
}
