import type { Tracing } from '@receipts/kernel';
import type { TraceOf } from './request-context';

/**
 * The methods listed in OpenTelemetry's HTTP conventions. Other methods are not used in span names, because callers can
 * invent any number of them.
 */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'CONNECT', 'TRACE']);

/**
 * Records a span for each request, with the names of OpenTelemetry's conventions for HTTP servers. The route is recorded
 * but not the path, which may contain personal data or credentials.
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
