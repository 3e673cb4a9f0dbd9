import { Readable } from 'node:stream';
import {
  consumerMismatch,
  mustBeAtLeast,
  mustBeAtMost,
  newId,
  permissionNeeded,
  rawOutput,
  ServiceError,
  wording,
  type Call,
  type HttpRoute,
  type IdAllotter,
  type Input,
} from '@receipts/kernel';
import type { Authenticator } from '../authentication/authenticator';
import type { Caller } from '../authentication/caller';
import { withConsumerOnce } from '../authentication/url-signature';
import type { RawReply, RawRequest } from '../broker-port';
import { notAcceptable } from '../errors';
import type { BodyBudget } from './body-budget';
import { callerAddress } from './caller-address';
import type { ContractEdge } from './contract-edge';
import type { CrossOrigin } from './cross-origin';
import type { Exchange } from './exchange';
import type { SizeLimits } from './limits';
import { preferred } from './media-type';
import type { MountedContract } from './mounted-contract';
import { audited } from './operator-audit';
import { headerReader, invalid, isPretty, pathReader, queryReader } from '../parameters/parameters';
import { parseQuery, type QueryArguments } from '../parameters/query-string';
import { RateLimiter, takeQuota, takeRequest } from './rate-limits';
import { joinedArrays, replyParts, type QueryMembers } from './reply-parts';
import type { RequestLimiter } from './request-limiter';
import { requestBodyReader, type RequestBodyReader } from './request-body';
import { jsonType, type Responder } from './responder';
import { Upstream, type UpstreamOptions } from './upstream';
import type { WaitingPolls } from './waiting-polls';

/** What all endpoints share. */
export interface EndpointContext extends UpstreamOptions {
  readonly authenticator: Authenticator;
  readonly requests: RequestLimiter;
  readonly reads: RateLimiter;
  readonly writes: RateLimiter;
  readonly ids: IdAllotter;
  readonly limits: SizeLimits;
  readonly responder: Responder;
  /** The prefix of the path in the Location header of a redirect. */
  readonly basePath: string;
  readonly budget: BodyBudget;
  readonly polls: WaitingPolls;
  readonly crossOrigin: CrossOrigin;
  /** See `callerAddress`. */
  readonly trustedProxies: number;
}

const empty = Buffer.alloc(0);
const idempotencyKeyMax = 255;
const idempotencyKeyPattern = /^[\x20-\x7e\x80-\xff]{1,255}$/;
const unknownType = 'application/octet-stream';

const pageType = 'text/html';
const isRedirect = (status: number) => status >= 300 && status < 400;

/**
 * One contract as an HTTP endpoint. It has no business rules: its behaviour follows from the contract. Everything that
 * does not depend on the request is prepared once, in the constructor.
 */
export class Endpoint {
  readonly route: HttpRoute;
  /** True if web pages may call it with a URL signature. */
  readonly isForPages: boolean;
  private readonly edge: ContractEdge;
  private readonly query;
  private readonly headers;
  private readonly path;
  private readonly readBody: RequestBodyReader;
  private readonly answersJson: boolean;
  /** The media types of the answer; undefined means any. */
  private readonly produces: readonly string[] | undefined;
  private readonly ownRate: RateLimiter | undefined;
  private readonly upstream: Upstream;

  constructor(
    readonly contract: MountedContract,
    private readonly context: EndpointContext,
  ) {
    const { http, params, query, headers, body, output } = contract;
    this.route = http;
    this.isForPages =
      (http.access ?? 'retailer') === 'retailer' && (contract.kind === 'query' || http.fromPages === true);
    this.edge = contract as unknown as ContractEdge;
    this.query = queryReader(query, http.freeQueryPrefixes);
    this.headers = headerReader(headers, http.freeHeaderPrefixes);
    this.path = pathReader(params);
    this.readBody = requestBodyReader(body, http.method, context);
    this.answersJson = output !== undefined && output !== rawOutput;
    this.produces = this.answersJson ? [jsonType] : http.produces;
    const { rate } = http;
    this.ownRate = rate && new RateLimiter(rate.requests / rate.perSeconds, rate.perSeconds);
    this.upstream = new Upstream(contract, context);
  }

  /** Answers the request, whatever happens. */
  serve(exchange: Exchange, params: Readonly<Record<string, string>>): void {
    this.answer(exchange, params).catch((error: unknown) => this.context.responder.refuse(exchange, error));
  }

  private async answer(exchange: Exchange, pathParams: Readonly<Record<string, string>>): Promise<void> {
    const { authenticator } = this.context;
    const args = parseQuery(exchange.queryText);
    exchange.pretty = isPretty(args);
    const { headers: given, rawHeaders } = exchange.req;
    const accept = this.produces && preferred(given.accept, this.produces);
    if (this.produces && accept === undefined) throw new ServiceError(notAcceptable);
    // An error is an HTML page only for callers that prefer HTML. A caller that accepts anything is taken for a program.
    exchange.prefersPage = accept === pageType && preferred(given.accept, [jsonType, pageType]) === pageType;

    const [key] = args.get('key') ?? [];
    if (this.isForPages && key !== undefined && given.authorization === undefined) {
      await this.context.crossOrigin.allow(exchange, key);
    }
    const found = authenticator.authenticate(this.route.access ?? 'retailer', given.authorization, args);
    const caller = found instanceof Promise ? await found : found;
    exchange.retailer = caller.retailer;
    exchange.principal = caller.principal.id;
    this.admit(caller, exchange);
    this.upstream.check(caller.retailer);

    const params = this.path.read(pathParams);
    const query = this.query.read(caller.consumers ? withConsumerOnce(args) : args);
    this.checkConsumer(caller, args);
    const addressOf = () => callerAddress(exchange.req, this.context.trustedProxies);
    const headers = this.headers.read(rawHeaders, accept, addressOf);
    const idempotencyKey = this.idempotencyKey(given['idempotency-key']);
    const { bytes, value, contentType } = await this.readBody(exchange);

    const input = { params, query, headers, body: value, contentType } as Input;
    this.edge.verify?.(input);
    this.checkConfinement(caller, input);
    const call = this.call(exchange, caller, idempotencyKey);
    const request: RawRequest = {
      params,
      query,
      headers,
      body: bytes,
      ...(contentType !== undefined && { contentType }),
    };
    if (idempotencyKey === undefined && this.edge.confirmed?.(input) === true) {
      await this.upstream.send(request, call);
      this.reply(exchange, { meta: { id: call.id }, body: empty });
    } else {
      const { broker, trustedProxies } = this.context;
      const asked = { exchange, request, call, body: value };
      const act = () => this.ask(exchange, request, call, input);
      const reply = await audited(this.contract, broker, trustedProxies, asked, act);
      this.reply(exchange, reply, (query) => this.upstream.askAgain(request, call, query));
    }
  }

  private ask(exchange: Exchange, request: RawRequest, call: Call, input: Input): Promise<RawReply> {
    const waitSeconds = this.edge.poll?.waitSeconds(input) ?? 0;
    if (waitSeconds > 0) return this.poll(exchange, request, call, performance.now() + waitSeconds * 1000);
    return this.upstream.ask(request, call);
  }

  /** Asks the owner repeatedly until it has data, the time is up, or the caller disconnects. */
  private async poll(
    exchange: Exchange,
    request: RawRequest,
    call: Call,
    untilMs: number,
  ): Promise<RawReply> {
    const { polls } = this.context;
    const caller = `${call.retailer}/${call.principal.id}`;
    polls.enter(caller);
    try {
      let query: QueryMembers = {};
      for (;;) {
        const reply = await this.upstream.askAgain(request, call, query);
        const again = this.edge.poll?.again(reply.meta);
        if (!again || !(await polls.pause(exchange, untilMs))) return reply;
        query = { ...query, ...again };
      }
    } finally {
      polls.leave(caller);
    }
  }

  private admit(caller: Caller, exchange: Exchange): void {
    const limitedAs =
      this.route.access === 'public'
        ? `address/${callerAddress(exchange.req, this.context.trustedProxies)}`
        : caller.limitedAs;
    exchange.limitedAs = limitedAs;
    const policy = this.contract.kind === 'query' ? 'reads' : 'writes';
    takeRequest(exchange, this.context[policy], policy);
    this.takeShare(caller.retailer, exchange);
    if (this.ownRate) takeQuota(exchange, this.ownRate);
    const { permission } = this.contract;
    if (permission !== undefined && !caller.permissions.has(permission)) {
      throw permissionNeeded(permission);
    }
  }

  private takeShare(retailer: string, exchange: Exchange): void {
    const { requests } = this.context;
    requests.enterShare(retailer);
    exchange.leaveShare = () => requests.leaveShare(retailer);
  }

  /** The client setting `consumer_required` (docs/interface.md, "Permissions"). */
  private checkConsumer(caller: Caller, args: QueryArguments): void {
    if (this.route.consumerScoped !== true || caller.settings?.consumer_required !== true) return;
    if (caller.consumers || args.has('consumer')) return;
    throw invalid('consumer', 'required', wording.required);
  }

  /** Credentials confined to consumers create things for these consumers only (docs/interface.md, "Permissions"). */
  private checkConfinement(caller: Caller, input: Input): void {
    const { consumerOf } = this.edge;
    if (!consumerOf || !caller.consumers) return;
    const consumer = consumerOf(input) ?? '';
    if (!caller.consumers.includes(consumer)) throw new ServiceError(consumerMismatch);
  }

  private idempotencyKey(given: string | string[] | undefined): string | undefined {
    if (this.route.method !== 'POST' || given === undefined) return undefined;
    if (typeof given === 'string' && idempotencyKeyPattern.test(given)) return given;
    if (given.length === 0) throw invalid('idempotency-key', 'too_small', mustBeAtLeast(1, 'string'));
    if (given.length > idempotencyKeyMax)
      throw invalid('idempotency-key', 'too_big', mustBeAtMost(idempotencyKeyMax, 'string'));
    throw invalid('idempotency-key', 'invalid_format', 'must not have control characters');
  }

  private call(exchange: Exchange, caller: Caller, idempotencyKey: string | undefined): Call {
    const { contract, context, edge } = this;
    const { retailer, principal, permissions, settings, consumers } = caller;
    const at = Date.now();
    return {
      id: edge.confirmed ? context.ids.allot(retailer, at) : newId(at),
      requestId: exchange.requestId,
      retailer,
      principal,
      ...(contract.needs?.permissions === true && { permissions: permissions.names }),
      ...(consumers && { consumers }),
      ...(settings && { settings }),
      deadline: at + this.upstream.timeoutMs,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      traceparent: exchange.traceparent,
      at,
    };
  }

  private reply(
    exchange: Exchange,
    reply: RawReply,
    askAgain?: (query: QueryMembers) => Promise<RawReply>,
  ): void {
    const { meta, replayed, body } = reply;
    const { status = this.route.success, headers: given } = this.edge.answer?.(meta) ?? {};
    const headers: Record<string, string | readonly string[]> = {};
    const hasContent = body.length > 0 && status !== 204 && status !== 304;
    if (hasContent) headers['content-type'] = this.contentTypeOf(meta);
    for (const [name, value] of Object.entries(given ?? {})) headers[name.toLowerCase()] = value;
    const { location } = headers;
    // Browsers follow a redirect themselves; every other link is relative to the base path.
    if (typeof location === 'string' && location.startsWith('/') && isRedirect(status)) {
      headers['location'] = this.context.basePath + location;
    }
    if (replayed === true) headers['idempotent-replayed'] = 'true';
    const isLong = askAgain !== undefined && this.edge.nextPart?.(meta) !== undefined;
    const content = isLong ? this.longBody(exchange, reply, askAgain) : body;
    this.context.responder.reply(exchange, status, headers, hasContent ? content : undefined);
  }

  /** @throws ServiceError 429 or 503 if there is no memory for two parts: the one that is sent, and the next one. */
  private longBody(
    exchange: Exchange,
    first: RawReply,
    askAgain: (query: QueryMembers) => Promise<RawReply>,
  ): Readable {
    exchange.reservation = this.context.budget.reserve(exchange.limitedAs, 2 * first.body.length);
    const parts = replyParts(first, (meta) => this.edge.nextPart?.(meta), askAgain);
    return Readable.from(this.answersJson ? joinedArrays(parts, exchange.pretty) : parts);
  }

  private contentTypeOf(meta: unknown): string {
    if (this.answersJson) return jsonType;
    const contentType: unknown = (meta as { contentType?: unknown } | undefined)?.contentType;
    return typeof contentType === 'string' ? contentType : unknownType;
  }
}
