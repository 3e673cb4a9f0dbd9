import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Operations } from '../open-operations';

export function recordOperatorAction(deps: Operations): HandlerOf<'recordOperatorAction'> {
  return async ({ body }, call) => {
    await deps.actions.note(body, deadlineSignal(call));
    return {};
  };
}
