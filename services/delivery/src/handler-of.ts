import type { deliveryContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';

/** The handler of one of this service's contracts. */
export type HandlerOf<K extends keyof typeof deliveryContracts> = Handler<(typeof deliveryContracts)[K]>;
