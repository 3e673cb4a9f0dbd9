import type { Body, Contract, HttpRoute } from '@receipts/kernel';

/** A contract that has a route. Its body states the media types that it accepts. */
export type MountedContract = Contract & { readonly http: HttpRoute; readonly body?: Body };

/** True if people open the route in a browser: callers that prefer HTML then get errors as a page. */
export const showsPages = ({ http }: MountedContract) => http.access === 'public';

/** True if web pages may call an endpoint with a URL signature. */
export const isForPages = ({ http, kind }: MountedContract) =>
  (http.access ?? 'retailer') === 'retailer' && (kind === 'query' || http.fromPages === true);
