import type { ChangedReceipt, identifierContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import type { CatchUp } from '@receipts/storage';

/** The operator does not want to wait until the service looks by itself. */
export function catchUpSummaries(
  catchUp: Pick<CatchUp<ChangedReceipt>, 'restart' | 'want'>,
): Handler<(typeof identifierContracts)['catchUpSummaries']> {
  return async ({ body }) => {
    if (body.from_start === true) await catchUp.restart();
    catchUp.want();
    return {};
  };
}
