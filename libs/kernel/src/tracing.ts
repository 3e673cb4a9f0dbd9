export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanFacts {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  /** The `traceparent` of the parent span. A new trace starts if it is absent or malformed. */
  readonly parent: string | undefined;
  /** The `traceparent` of other spans that caused this span, such as the requests in a batch. */
  readonly links?: readonly string[];
  /** Names follow OpenTelemetry's semantic conventions. */
  readonly attributes: SpanAttributes;
}

/** A unit of work in a trace. */
export interface Span {
  readonly traceId: string;
  /** The `traceparent` for calls made within this span. */
  readonly traceparent: string;
  /** False if the trace is not sampled; the span then has only ids. */
  readonly isRecorded: boolean;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  link(traceparent: string): void;
  /** @param errorType marks the span as failed: a class of errors, never an error message */
  end(errorType?: string): void;
}

/** Records spans. Components receive it only if spans are exported, so that disabled tracing costs nothing. */
export interface Tracing {
  start(name: string, facts: SpanFacts): Span;
  /** Runs work, including its asynchronous parts, within this span. */
  run<T>(span: Span, work: () => T): T;
  /** The `traceparent` of the current recorded span; undefined if there is none or it has ended. */
  current(): string | undefined;
}
