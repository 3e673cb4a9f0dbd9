import { createAuthenticator, type BearerTokens } from './authentication/authenticator';
import type { CredentialBook } from './authentication/credential-book';
import { UrlSignatures } from './authentication/url-signature';
import { createApp, type AppOptions } from './http/app';
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
import type { Contracts } from './http/routes';
import { Responder, type ResponderOptions } from './http/responder';
import { WaitingPolls } from './http/waiting-polls';
import { createGatewayServer, type GatewayServer, type GatewayServerOptions } from './http/server';

type Upstreams = Pick<
  AppOptions,
  'broker' | 'backlog' | 'ids' | 'upstreamTimeoutMs' | 'upstreamLatencyMsMax'
>;

export interface GatewayOptions extends ResponderOptions, Omit<GatewayServerOptions, 'app'>, Upstreams {
  readonly contracts: readonly Contracts[];
  readonly pages: readonly Page[];
  readonly credentials: CredentialBook;
  readonly bearer: BearerTokens;
  /** The tokens of the operators, by name. */
  readonly operatorTokens: Readonly<Record<string, string>>;
  readonly originsOf: OriginsOf;
  readonly rates: RateLimits;
  readonly bodies: BodyBudgetLimits;
  readonly requests: RequestLimits;
  readonly loopLagMs: () => number;
  readonly now?: () => number;
}

/** Assembles the gateway. Production and tests use this function. */
export function createGateway(options: GatewayOptions): GatewayServer {
  const { credentials, rates } = options;
  const app = createApp(options.contracts, options.pages, {
    ...options,
    authenticate: createAuthenticator(
      options.bearer,
      new UrlSignatures(credentials, options.now),
      options.operatorTokens,
    ),
    requests: new RequestLimiter(options.requests, options.loopLagMs),
    reads: new RateLimiter(rates.readsPerSecond, rates.burstSeconds),
    writes: new RateLimiter(rates.writesPerSecond, rates.burstSeconds),
    responder: new Responder(options),
    budget: new BodyBudget(options.bodies),
    polls: new WaitingPolls(options.isDraining),
    crossOrigin: new CrossOrigin(credentials, options.originsOf),
  });
  return createGatewayServer({ ...options, app });
}
