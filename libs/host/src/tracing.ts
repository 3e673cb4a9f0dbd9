import { randomFillSync } from 'node:crypto';
import type { Call } from '@receipts/kernel';
import type { Logger } from './logger';

/** The identity of one piece of work in a trace (W3C Trace Context). */
export interface TraceIds {
  /** 32 hexadecimal digits; also in every log line, as `trace_id`. */
  readonly traceId: string;
  /** What to hand to whatever this piece of work calls. */
  readonly traceparent: string;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** One piece of work. Its ids are always there; it is recorded only where spans are exported and the trace is sampled. */
export interface Span extends TraceIds {
  set(attributes: SpanAttributes): void;
  /** @param error Marks the work as failed; only the name of the error is recorded. */
  end(error?: unknown): void;
}

export interface SpanOptions {
  /** The header or message attribute `traceparent` of the caller. A malformed one begins a new trace. */
  readonly parent?: string | undefined;
  readonly kind?: 'server' | 'consumer' | 'internal';
  readonly attributes?: SpanAttributes;
}

export interface Tracing {
  start(name: string, options?: SpanOptions): Span;
  /** A span for the handling of a message. */
  spanFor(call: Pick<Call, 'traceparent' | 'requestId' | 'retailer'>, name: string): Span;
  /** True when spans are recorded, so that costly attributes can be spared. */
  readonly isRecording: boolean;
  /** Sends what is still buffered. */
  stop(): Promise<void>;
}

const traceIdBytes = 16;
const spanIdBytes = 8;
const randomPool = Buffer.alloc(4_096);
let randomAt = randomPool.length;

/** Random bytes in hexadecimal, from a pool: a system call for each id would cost more than all the rest of the work here. */
function randomHex(bytes: number): string {
  if (randomAt + bytes > randomPool.length) {
    randomFillSync(randomPool);
    randomAt = 0;
  }
  const hex = randomPool.toString('hex', randomAt, randomAt + bytes);
  randomAt += bytes;
  return hex;
}

/**
 * W3C Trace Context, section 3.2: a version that is not ff, ids that are not all zeros, flags. The SDK has a parser, but to load
 * it takes 5 MB in each process.
 */
const traceParent = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})(-.*)?$/;

/** Undefined where the header is malformed. Later versions may have further parts, the first has none. */
function parentOf(header: string): { readonly traceId: string; readonly isSampled: boolean } | undefined {
  const [, version, traceId = '', flags = '', rest] = traceParent.exec(header.trim()) ?? [];
  if (version === undefined || (version === '00' && rest !== undefined)) return undefined;
  return { traceId, isSampled: (parseInt(flags, 16) & 1) === 1 };
}

/**
 * Continues the trace of a `traceparent` header, or begins a new one where the header is absent or malformed.
 * @param sampled Whether a new trace is marked as recorded.
 */
export function traceOf(header: string | undefined, sampled = false): TraceIds {
  const parent = header === undefined ? undefined : parentOf(header);
  const random = randomHex(parent ? spanIdBytes : spanIdBytes + traceIdBytes);
  const spanId = random.slice(0, spanIdBytes * 2);
  const traceId = parent ? parent.traceId : random.slice(spanIdBytes * 2);
  const isSampled = parent?.isSampled ?? sampled;
  return { traceId, traceparent: `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}` };
}

/** A span of which nothing is kept but its ids. */
class UnrecordedSpan implements Span {
  readonly traceId: string;
  readonly traceparent: string;

  constructor(parent: string | undefined) {
    const { traceId, traceparent } = traceOf(parent);
    this.traceId = traceId;
    this.traceparent = traceparent;
  }

  set(): void {}
  end(): void {}
}

/** Keeps the ids flowing and records nothing. */
export const idsOnly: Tracing = {
  start: (_name, options) => new UnrecordedSpan(options?.parent),
  spanFor: (call) => new UnrecordedSpan(call.traceparent),
  isRecording: false,
  stop: () => Promise.resolve(),
};

export interface TracingOptions {
  readonly service: string;
  readonly version: string;
  /** The base address of an OTLP receiver; without it nothing is recorded and the SDK is not even loaded. */
  readonly endpoint: string | undefined;
  /** The share of traces begun here that is sampled, 0 to 1. */
  readonly sampledShare: number;
  readonly log: Logger;
}

/** Ids only, or recorded spans where an endpoint is given. */
export async function createTracing(options: TracingOptions): Promise<Tracing> {
  const { endpoint } = options;
  if (endpoint === undefined) return idsOnly;
  // The SDK takes 100 ms and 20 MB to load, so it is loaded only by those who asked for it.
  const { exportedTracing } = await import('./exported-tracing.js');
  return exportedTracing({ ...options, endpoint });
}
