import type { Tracing } from '@receipts/kernel';
import type { TraceOf } from './exchange';

/** What conventions for HTTP know; another method would make a name of a span of what a caller has made up. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'CONNECT', 'TRACE']);

/**
 * Records a span for each request, named and described by OpenTelemetry's conventions for HTTP servers. The path itself is not
 * told, as it may name a person or let somebody in: the route is.
 */
export function tracedRequests(tracing: Tracing): TraceOf {
  return (parent) => {
    const span = tracing.start('HTTP', { kind: 'server', parent, attributes: {} });
    return {
      traceId: span.traceId,
      traceparent: span.traceparent,
      ended({ method: given, route, status, retailer, requestId }) {
        const method = methods.has(given) ? given : '_OTHER';
        const spoken = method === '_OTHER' ? 'HTTP' : method;
        span.rename(route === '' ? spoken : `${spoken} ${route}`);
        span.set({
          'http.request.method': method,
          'http.response.status_code': status,
          ...(route !== '' && { 'http.route': route }),
          ...(retailer !== '' && { 'receipts.retailer': retailer }),
          'receipts.request.id': requestId,
        });
        span.end(status >= 500 ? String(status) : undefined);
      },
    };
  };
}
