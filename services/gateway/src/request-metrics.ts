import type { Metrics } from '@receipts/host';
import type { ResponderOptions } from './http/responder';

/**
 * Counts and times responses by route, method and status. Label sets are cached, because looking one up costs more than
 * counting.
 */
export function requestMetrics(metrics: Metrics): NonNullable<ResponderOptions['observe']> {
  const histogram = metrics.histogram({
    name: 'http_request_duration_seconds',
    help: 'From the end of the headers of a request to its response.',
    labels: ['route', 'method', 'status'],
  });
  const children = new Map<string, { observe(seconds: number): void }>();
  return (route, method, status, seconds) => {
    const name = `${route} ${method} ${status}`;
    let child = children.get(name);
    if (!child) {
      child = histogram.labels(route === '' ? 'none' : route, method, String(status));
      children.set(name, child);
    }
    child.observe(seconds);
  };
}
