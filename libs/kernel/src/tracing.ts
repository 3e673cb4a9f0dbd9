export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanFacts {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  /** The `traceparent` of the work of which this is a part. A new trace begins where it is absent or malformed. */
  readonly parent: string | undefined;
  /** The `traceparent` of further work that this belongs to, as with a batch that was asked for by many. */
  readonly links?: readonly string[];
  /** Named by OpenTelemetry's semantic conventions. */
  readonly attributes: SpanAttributes;
}

/** One piece of work in a trace. */
export interface Span {
  readonly traceId: string;
  /** What to hand to whatever this piece of work calls. */
  readonly traceparent: string;
  /** False where the trace is not sampled: its ids are there, and nothing else. */
  readonly isRecorded: boolean;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  link(traceparent: string): void;
  /** @param errorType marks the work as failed: a class of errors, never the text of one */
  end(errorType?: string): void;
}

/**
 * Records spans. It is handed to what sends, handles and stores; nobody is handed one where spans are not exported, so that
 * tracing then costs nothing.
 */
export interface Tracing {
  start(name: string, facts: SpanFacts): Span;
  /** Runs work, and whatever it waits for, as the work of this span. */
  run<T>(span: Span, work: () => T): T;
  /** The `traceparent` of the recorded span whose work this is; undefined outside of any, and once it has ended. */
  current(): string | undefined;
}
