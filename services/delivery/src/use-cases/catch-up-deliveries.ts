import type { deliveryContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';

/** Lets the operator start catching up without waiting for the next regular check. */
export function catchUpDeliveries(
  walks: readonly { requestRun(): void }[],
): Handler<(typeof deliveryContracts)['catchUpDeliveries']> {
  return async () => {
    for (const walk of walks) walk.requestRun();
    return {};
  };
}
