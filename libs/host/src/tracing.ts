import { randomFillSync } from 'node:crypto';
import type { ExportedTracing, TracingOptions } from './exported-tracing';

/** The identity of one piece of work in a trace (W3C Trace Context). */
export interface TraceIds {
  /** 32 hexadecimal digits; also in every log line, as `trace_id`. */
  readonly traceId: string;
  /** What to hand to whatever this piece of work calls. */
  readonly traceparent: string;
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

/** W3C Trace Context, section 3.2: a version that is not ff, ids that are not all zeros, flags. */
const traceParent = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})(-.*)?$/;

/** Undefined where the header is malformed. Later versions may have further parts, the first has none. */
function parentOf(header: string): { readonly traceId: string; readonly isSampled: boolean } | undefined {
  const [, version, traceId = '', flags = '', rest] = traceParent.exec(header.trim()) ?? [];
  if (version === undefined || (version === '00' && rest !== undefined)) return undefined;
  return { traceId, isSampled: (parseInt(flags, 16) & 1) === 1 };
}

/**
 * Continues the trace of a `traceparent` header, or begins a new one where the header is absent or malformed. Whether the
 * caller records the trace is passed on. This is what a request gets where nothing is exported.
 */
export function traceOf(header: string | undefined): TraceIds {
  const parent = header === undefined ? undefined : parentOf(header);
  const random = randomHex(parent ? spanIdBytes : spanIdBytes + traceIdBytes);
  const spanId = random.slice(0, spanIdBytes * 2);
  const traceId = parent ? parent.traceId : random.slice(spanIdBytes * 2);
  return { traceId, traceparent: `00-${traceId}-${spanId}-${parent?.isSampled ? '01' : '00'}` };
}

/** Records spans where an endpoint is given; undefined without. */
export async function startTracing(options: TracingOptions): Promise<ExportedTracing | undefined> {
  const { endpoint } = options;
  if (endpoint === undefined) return undefined;
  // The SDK takes 100 ms and 20 MB to load, so it is loaded only by those who asked for it.
  const { exportedTracing } = await import('./exported-tracing.js');
  return exportedTracing({ ...options, endpoint });
}
