import type { IncomingMessage } from 'node:http';
import type { Attempt } from '../domain/attempt';
import type { AddressGuard } from '../../outgoing/address-guard';
import {
  addressTimeoutMs,
  AddressRefused,
  pinnedOptions,
  pinnedRequest,
} from '../../outgoing/pinned-request';
import type { ResolveHost } from '../../outgoing/resolve-host';

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The event's trace, for the span of the attempt; it is not sent. */
  readonly traceparent?: string | undefined;
}

export interface PosterOptions {
  readonly guard: AddressGuard;
  readonly allowHttp: boolean;
  readonly resolve: ResolveHost;
  /** From the DNS lookup to the last byte of the response. */
  readonly timeoutMs?: number;
  /** Extended for each further address of a name. */
  readonly connectTimeoutMs?: number;
  /** Additional certificate authorities, PEM. */
  readonly ca?: string;
}

/** Posts once and returns the result. Never rejects. */
export type PostWebhook = (request: WebhookRequest) => Promise<Attempt>;

const timeoutDefaultMs = 15_000;
const connectTimeoutDefaultMs = 3_000;
const headerBytesMax = 16 * 1024;
const headersKeptMax = 40;
const headerValueKeptMax = 256;
const bodyKeptMax = 4 * 1024;

/** Ends an attempt with a result. */
class Ended extends Error {
  constructor(
    readonly outcome: Attempt['outcome'],
    readonly detail: string | null = null,
  ) {
    super(outcome);
  }
}

interface Head {
  readonly status: number;
  readonly headers: Record<string, string>;
}

function headOf(response: IncomingMessage): Head {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers).slice(0, headersKeptMax)) {
    headers[name] = String(value).slice(0, headerValueKeptMax);
  }
  return { status: response.statusCode ?? 0, headers };
}

const is2xx = (status: number) => status >= 200 && status < 300;

/** What an attempt has received of the response. */
interface Exchange {
  head: Head | undefined;
  received: Buffer;
}

/** Connects only to allowed addresses. Redirects are not followed and connections are not kept. */
export function webhookPoster(options: PosterOptions): PostWebhook {
  const { timeoutMs = timeoutDefaultMs } = options;
  return async (request) => {
    const began = Date.now();
    const exchange: Exchange = { head: undefined, received: Buffer.alloc(0) };
    const ending = new AbortController();
    const deadline = setTimeout(() => ending.abort(new Ended('timeout')), timeoutMs);
    // A DNS lookup cannot be aborted.
    const ended = new Promise<never>((_resolve, reject) => {
      ending.signal.addEventListener('abort', () => reject(ending.signal.reason as Error));
    });
    let failure: Ended | undefined;
    try {
      await Promise.race([post(request, options, exchange, ending), ended]);
    } catch (error) {
      failure = endedOf(error);
    } finally {
      clearTimeout(deadline);
      ending.abort();
    }
    const { head, received } = exchange;
    return {
      ...outcomeOf(head, failure),
      durationMs: Date.now() - began,
      response: head && {
        ...head,
        body: received.subarray(0, bodyKeptMax).toString('utf8'),
      },
    };
  };
}

/** The status determines the result, even if reading the body fails. */
function outcomeOf(head: Head | undefined, failure: Ended | undefined): Pick<Attempt, 'outcome' | 'error'> {
  if (head && head.status >= 300 && head.status < 400) return { outcome: 'redirected', error: null };
  if (head) return { outcome: is2xx(head.status) ? 'succeeded' : 'status', error: null };
  const { outcome, detail } = failure ?? new Ended('unreachable', 'closed');
  return { outcome, error: detail };
}

function endedOf(error: unknown): Ended {
  if (error instanceof Ended) return error;
  if (error instanceof AddressRefused) return new Ended('address_refused');
  const { code = 'unknown' } = error as { code?: string };
  return new Ended(code.startsWith('HPE_') ? 'invalid_response' : 'unreachable', code);
}

async function post(
  { url, headers, body }: WebhookRequest,
  { connectTimeoutMs = connectTimeoutDefaultMs, ca, ...rules }: PosterOptions,
  exchange: Exchange,
  ending: AbortController,
): Promise<void> {
  const { signal } = ending;
  const { options: pinned, addressCount } = await pinnedOptions(url, rules, signal);
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const request = pinnedRequest(pinned, {
      method: 'POST',
      maxHeaderSize: headerBytesMax,
      signal,
      ca,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    });
    const connectMs = connectTimeoutMs + (addressCount - 1) * addressTimeoutMs;
    const connecting = setTimeout(() => ending.abort(new Ended('timeout', 'connect')), connectMs);
    const connected = () => clearTimeout(connecting);
    request.once('socket', (socket) => {
      socket.once(pinned.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
    });
    request.once('close', () => {
      connected();
      reject(new Ended(exchange.head ? 'invalid_response' : 'unreachable', 'closed'));
    });
    request.on('error', reject);
    request.once('response', (response) => void read(response, exchange).then(resolve, reject));
    request.end(body);
  });
}

/** Reads only as much of the body as is kept. */
async function read(response: IncomingMessage, exchange: Exchange): Promise<void> {
  exchange.head = headOf(response);
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      exchange.received = Buffer.concat([exchange.received, chunk]);
      if (exchange.received.length >= bodyKeptMax) return;
    }
  } catch {
    // The receiver has decided with its status, and what has arrived of the body is kept.
  }
}
