import type { Contract, HttpRoute } from '@receipts/kernel';

/** A contract that has a route. */
export type MountedContract = Contract & { readonly http: HttpRoute };

/** True if web pages may call an endpoint with a URL signature. */
export const isForPages = ({ http, kind }: MountedContract) =>
  (http.access ?? 'retailer') === 'retailer' && (kind === 'query' || http.fromPages === true);
