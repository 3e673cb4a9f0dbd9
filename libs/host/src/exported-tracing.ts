import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { errorFields } from './logger';
import type { Span, Tracing, TracingOptions } from './tracing';

/** Spans beyond this are dropped: a receiver that is away must cost neither memory nor time. */
const spansBufferedMax = 2_048;
const exportTimeoutMs = 5_000;
const stopTimeoutMs = 2_000;

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, internal: SpanKind.INTERNAL } as const;

/** Spans through the SDK of OpenTelemetry. Loaded only where a receiver is configured. */
export function exportedTracing(options: TracingOptions & { readonly endpoint: string }): Tracing {
  const url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: exportTimeoutMs });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.service,
      'service.version': options.version,
      'service.namespace': 'receipts',
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.sampledShare) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: spansBufferedMax })],
  });
  const tracer = provider.getTracer('receipts', options.version);

  const start: Tracing['start'] = (name, { parent, kind = 'internal', attributes } = {}) => {
    const remote = parent === undefined ? null : parseTraceParent(parent);
    const context = remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : ROOT_CONTEXT;
    const span = tracer.startSpan(name, { kind: kinds[kind], ...(attributes && { attributes }) }, context);
    const { traceId, spanId, traceFlags } = span.spanContext();
    const flags = (traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01';
    const made: Span = {
      traceId,
      traceparent: `00-${traceId}-${spanId}-${flags}`,
      set: (more) => void span.setAttributes(more),
      end(error) {
        if (error !== undefined) {
          const failure = error instanceof Error ? error.name : typeof error;
          span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
        }
        span.end();
      },
    };
    return made;
  };
  return {
    start,
    spanFor: (call, name) =>
      start(name, {
        parent: call.traceparent,
        kind: 'consumer',
        attributes: { request_id: call.requestId, retailer: call.retailer },
      }),
    isRecording: true,
    async stop() {
      const bound = new Promise<void>((resolve) => setTimeout(resolve, stopTimeoutMs).unref());
      await Promise.race([provider.shutdown(), bound]).catch((error: unknown) =>
        options.log.warn('the last spans were not sent', errorFields(error)),
      );
    },
  };
}
