import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';

/** The handler of one of this service's contracts. */
export type Endpoint<K extends keyof typeof adminContracts> = Handler<(typeof adminContracts)[K]>;
