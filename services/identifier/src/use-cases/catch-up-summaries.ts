import type { ChangedReceipt, identifierContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import type { CatchUp } from '@receipts/storage';

/** Lets the operator start catching up without waiting for the next regular check. */
export function catchUpSummaries(
  catchUp: Pick<CatchUp<ChangedReceipt>, 'restart' | 'want'>,
): Handler<(typeof identifierContracts)['catchUpSummaries']> {
  return async ({ body }) => {
    if (body.from_start === true) await catchUp.restart();
    catchUp.want();
    return {};
  };
}
