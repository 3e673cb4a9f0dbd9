import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { OperatorActions } from '../storage/operator-actions';

export function noteOperatorAction(deps: {
  actions: OperatorActions;
}): Handler<(typeof adminContracts)['noteOperatorAction']> {
  return async ({ body }, call) => {
    await deps.actions.note(body, deadlineSignal(call));
    return {};
  };
}
