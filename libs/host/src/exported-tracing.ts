import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags, type Link } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { within } from '@receipts/concurrency';
import { type Log, type Span, type SpanFacts, type Tracing } from '@receipts/kernel';

export interface TracingOptions {
  readonly service: string;
  readonly version: string;
  /** The base URL of an OTLP receiver; if undefined, nothing is recorded and the SDK is not loaded. */
  readonly endpoint: string | undefined;
  /** The fraction of traces started here that is recorded, from 0 to 1. */
  readonly sampledShare: number;
  readonly log: Log;
}

export interface ExportedTracing extends Tracing {
  /** Exports the buffered spans. */
  stop(): Promise<void>;
}

/** Additional spans are dropped, so that an unavailable receiver costs neither memory nor time. */
const spansBufferedMax = 2_048;
const exportEveryMs = 1_000;
const exportTimeoutMs = 5_000;
const stopTimeoutMs = 2_000;

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

type Tracer = ReturnType<TracerProvider['getTracer']>;
type SdkSpan = ReturnType<Tracer['startSpan']>;

class ExportedSpan implements Span {
  readonly traceId: string;
  readonly traceparent: string;
  readonly isRecorded: boolean;
  hasEnded = false;

  constructor(private readonly span: SdkSpan) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceId = traceId;
    this.isRecorded = (traceFlags & TraceFlags.SAMPLED) !== 0;
    this.traceparent = `00-${traceId}-${spanId}-${this.isRecorded ? '01' : '00'}`;
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  set(attributes: SpanFacts['attributes']): void {
    this.span.setAttributes(attributes);
  }

  link(traceparent: string): void {
    this.span.addLinks(linksTo([traceparent]));
  }

  end(errorType?: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    if (errorType !== undefined) {
      this.span.setAttribute('error.type', errorType);
      this.span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span.end();
  }
}

function linksTo(traceparents: readonly string[]): Link[] {
  return traceparents.flatMap((traceparent) => {
    const context = parseTraceParent(traceparent);
    return context ? [{ context }] : [];
  });
}

/** Records spans with OpenTelemetry's SDK. This module is loaded only if a receiver is configured. */
export function exportedTracing(options: TracingOptions & { readonly endpoint: string }): ExportedTracing {
  const url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: exportTimeoutMs });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.service,
      'service.version': options.version,
      'service.namespace': 'receipts',
      'process.pid': process.pid,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.sampledShare) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: spansBufferedMax,
        scheduledDelayMillis: exportEveryMs,
      }),
    ],
  });
  const tracer = provider.getTracer('receipts', options.version);
  const working = new AsyncLocalStorage<Span>();
  return {
    start(name, { kind, parent, links = [], attributes }) {
      const remote = parent === undefined ? null : parseTraceParent(parent);
      const context = remote
        ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true })
        : ROOT_CONTEXT;
      const facts = { kind: kinds[kind], attributes: { ...attributes }, links: linksTo(links) };
      return new ExportedSpan(tracer.startSpan(name, facts, context));
    },
    run: (span, work) => working.run(span, work),
    current() {
      const span = working.getStore();
      return span instanceof ExportedSpan && span.isRecorded && !span.hasEnded ? span.traceparent : undefined;
    },
    async stop() {
      await within(stopTimeoutMs, 'exporting the last spans', provider.shutdown()).catch((error: unknown) =>
        options.log.warn('the last spans could not be exported', { error }),
      );
    },
  };
}
