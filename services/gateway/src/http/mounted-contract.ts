import type { Contract, HttpRoute } from '@receipts/kernel';

/** A contract that has a route. */
export type MountedContract = Contract & { readonly http: HttpRoute };
