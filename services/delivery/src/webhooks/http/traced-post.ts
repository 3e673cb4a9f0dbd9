import type { Tracing } from '@receipts/kernel';
import type { PostWebhook } from './post-webhook';

const standardPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * Records a span for each attempt of an event that belongs to a trace, with OpenTelemetry's conventions for HTTP
 * clients. Path and query of the URL are omitted, as they often contain credentials.
 */
export function tracedPost(post: PostWebhook, tracing: Tracing | undefined): PostWebhook {
  if (!tracing) return post;
  return async (request) => {
    const { traceparent: parent, url, headers } = request;
    if (parent === undefined) return post(request);
    const { protocol, hostname, port } = new URL(url);
    const attributes = {
      'http.request.method': 'POST',
      'url.scheme': protocol.slice(0, -1),
      'server.address': hostname,
      'server.port': port === '' ? (standardPorts[protocol] ?? 0) : Number(port),
      'receipts.webhook.id': headers['webhook-id'] ?? '',
    };
    const span = tracing.start('POST', { kind: 'client', parent, attributes });
    const attempt = await post(request);
    const { outcome, response } = attempt;
    if (response) span.set({ 'http.response.status_code': response.status });
    const failure = outcome === 'status' ? String(response?.status) : outcome;
    span.end(outcome === 'succeeded' ? undefined : failure);
    return attempt;
  };
}
