import type { ChangedReceipt, identifierContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import type { GapRecovery } from '@receipts/storage';

/** Starts catching up for the operator, without waiting for the next regular check. */
export function catchUpSummaries(
  catchUp: Pick<GapRecovery<ChangedReceipt>, 'restart' | 'requestRun'>,
): Handler<(typeof identifierContracts)['catchUpSummaries']> {
  return async ({ body }) => {
    if (body.from_start === true) await catchUp.restart();
    catchUp.requestRun();
    return {};
  };
}
