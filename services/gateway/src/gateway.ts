import type { IdAllotter, Log } from '@receipts/kernel';
import { createAuthenticator, type BearerTokens } from './authentication/authenticator';
import type { CredentialBook } from './authentication/credential-book';
import { UrlSignatures } from './authentication/url-signature';
import { createApp } from './http/app';
import type { Backlog, UpstreamOptions } from './http/upstream';
import {
  BodyBudget,
  type BodyBudgetLimits,
  RateLimiter,
  type RateLimits,
  RequestLimiter,
  type RequestLimits,
} from './http/request-limits';
import { CrossOrigin, type OriginsOf } from './http/cross-origin';
import type { Page } from './http/pages';
import type { TraceOf } from './http/request-context';
import type { SizeLimits } from './http/limits';
import type { Contracts } from './http/routes';
import { Responder, type ResponderOptions } from './http/responder';
import { WaitingPolls } from './http/waiting-polls';
import { createGatewayServer, type Certificate, type GatewayServer, type ServerTimes } from './http/server';

export interface GatewayOptions {
  readonly contracts: readonly Contracts[];
  readonly pages: readonly Page[];
  readonly broker: UpstreamOptions['broker'];
  readonly credentials: CredentialBook;
  readonly bearer: BearerTokens;
  readonly operatorToken: string | undefined;
  readonly originsOf: OriginsOf;
  readonly ids: IdAllotter;
  readonly sizes: SizeLimits;
  readonly rates: RateLimits;
  readonly bodies: BodyBudgetLimits;
  readonly requests: RequestLimits;
  readonly backlog: Pick<Backlog, 'enter' | 'checkOutbox'>;
  readonly times: ServerTimes & { readonly upstreamTimeoutMs: number; readonly upstreamLatencyMsMax: number };
  readonly connectionsMax: number;
  readonly certificate?: Certificate | undefined;
  readonly basePath: string;
  readonly httpsOnly: boolean;
  /** See `callerAddress`. */
  readonly trustedProxies: number;
  readonly log: Log;
  readonly traceOf: TraceOf;
  readonly observe?: ResponderOptions['observe'];
  readonly noteCall?: ResponderOptions['noteCall'];
  readonly isDraining: () => boolean;
  readonly loopLagMs: () => number;
  readonly now?: () => number;
}

/** Assembles the gateway. Production and tests use this function. */
export function createGateway(options: GatewayOptions): GatewayServer {
  const { broker, credentials, rates, sizes, times, basePath, log, traceOf, observe, noteCall, isDraining } =
    options;
  const responder = new Responder({
    log,
    httpsOnly: options.httpsOnly,
    basePath,
    isDraining,
    ...(observe && { observe }),
    ...(noteCall && { noteCall }),
  });
  const requests = new RequestLimiter(options.requests, options.loopLagMs);
  const authenticator = createAuthenticator(
    options.bearer,
    new UrlSignatures(credentials, options.now),
    options.operatorToken,
  );
  const app = createApp(options.contracts, options.pages, {
    broker,
    authenticator,
    requests,
    reads: new RateLimiter(rates.readsPerSecond, rates.burstSeconds),
    writes: new RateLimiter(rates.writesPerSecond, rates.burstSeconds),
    ids: options.ids,
    limits: sizes,
    responder,
    upstreamTimeoutMs: times.upstreamTimeoutMs,
    upstreamLatencyMsMax: times.upstreamLatencyMsMax,
    basePath,
    backlog: options.backlog,
    budget: new BodyBudget(options.bodies),
    polls: new WaitingPolls(isDraining),
    crossOrigin: new CrossOrigin(credentials, options.originsOf),
    trustedProxies: options.trustedProxies,
  });
  return createGatewayServer({
    app,
    limits: sizes,
    times,
    connectionsMax: options.connectionsMax,
    certificate: options.certificate,
    basePath,
    log,
    traceOf,
  });
}
