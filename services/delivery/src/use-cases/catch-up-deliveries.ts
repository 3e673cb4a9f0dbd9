import type { deliveryContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';

/** The operator does not want to wait until the service looks by itself. */
export function catchUpDeliveries(
  walks: readonly { want(): void }[],
): Handler<(typeof deliveryContracts)['catchUpDeliveries']> {
  return async () => {
    for (const walk of walks) walk.want();
    return {};
  };
}
