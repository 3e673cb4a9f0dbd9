import type { adminContracts, adminPages } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';

type Contracts = typeof adminContracts & typeof adminPages;

/** The handler of one of this service's contracts. */
export type HandlerOf<K extends keyof Contracts> = Handler<Contracts[K]>;
