import { randomFillSync } from 'node:crypto';
import type { ExportedTracing, TracingOptions } from './exported-tracing';

/** The ids of a span (W3C Trace Context). */
export interface TraceIds {
  /** 32 hexadecimal digits; `trace_id` in the gateway's request log. */
  readonly traceId: string;
  /** The `traceparent` for calls made within this span. */
  readonly traceparent: string;
}

const traceIdBytes = 16;
const spanIdBytes = 8;
const randomPool = Buffer.alloc(4_096);
let randomAt = randomPool.length;

/**
 * Random bytes in hexadecimal, taken from a pool because a system call per id would cost more than the rest of this
 * function.
 */
function randomHex(bytes: number): string {
  if (randomAt + bytes > randomPool.length) {
    randomFillSync(randomPool);
    randomAt = 0;
  }
  const hex = randomPool.toString('hex', randomAt, randomAt + bytes);
  randomAt += bytes;
  return hex;
}

/** W3C Trace Context, section 3.2: a version other than ff, ids that are not all zeros, flags. */
const traceParent = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})(-.*)?$/;

/** Undefined for a malformed header. Version 00 has no further parts; later versions may. */
function parentOf(header: string): { readonly traceId: string; readonly isSampled: boolean } | undefined {
  const [, version, traceId = '', flags = '', rest] = traceParent.exec(header.trim()) ?? [];
  if (version === undefined || (version === '00' && rest !== undefined)) return undefined;
  return { traceId, isSampled: (parseInt(flags, 16) & 1) === 1 };
}

/**
 * Continues the trace of a `traceparent` header, or starts a new trace if the header is absent or malformed. The
 * caller's sampling decision is passed on. Used for requests when no spans are exported.
 */
export function traceOf(header: string | undefined): TraceIds {
  const parent = header === undefined ? undefined : parentOf(header);
  const random = randomHex(parent ? spanIdBytes : spanIdBytes + traceIdBytes);
  const spanId = random.slice(0, spanIdBytes * 2);
  const traceId = parent ? parent.traceId : random.slice(spanIdBytes * 2);
  return { traceId, traceparent: `00-${traceId}-${spanId}-${parent?.isSampled ? '01' : '00'}` };
}

/** Records spans if an endpoint is configured, otherwise undefined. */
export async function startTracing(options: TracingOptions): Promise<ExportedTracing | undefined> {
  const { endpoint } = options;
  if (endpoint === undefined) return undefined;
  // The SDK takes 100 ms and 20 MB to load, so it is loaded only if needed.
  const { exportedTracing } = await import('./exported-tracing.js');
  return exportedTracing({ ...options, endpoint });
}
