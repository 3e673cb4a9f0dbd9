import {
  newId,
  permissionDenied,
  rawOutput,
  ServiceError,
  type BytesBody,
  type Call,
  type Contract,
  type HttpAnswer,
  type HttpRoute,
  type IdAllotter,
  type Input,
  type JsonBody,
} from '@receipts/kernel';
import { z } from 'zod';
import type { Authenticator } from '../authentication/authenticator';
import type { Caller } from '../authentication/caller';
import { withConsumerOnce } from '../authentication/url-signature';
import type { BrokerPort, RawReply, RawRequest } from '../broker-port';
import { notAcceptable } from '../errors';
import type { Admission } from './admission';
import { hasBody, readBody } from './body';
import type { Exchange } from './exchange';
import { checkCoding, jsonBodyReader, type JsonBodyReader } from './json-body';
import type { SizeLimits } from './limits';
import { accepts } from './media-type';
import { headerReader, invalid, isPretty, pathReader, queryReader } from './parameters';
import { parseQuery, type QueryArguments } from './query-string';
import type { RateLimiter } from './rate-limits';
import { jsonType, type Headers, type Responder } from './responder';

/** What every endpoint needs around it. */
export interface EndpointContext {
  readonly broker: BrokerPort;
  readonly authenticator: Authenticator;
  readonly admission: Admission;
  readonly reads: RateLimiter;
  readonly writes: RateLimiter;
  readonly ids: IdAllotter;
  readonly limits: SizeLimits;
  readonly responder: Responder;
  /** How long an owner may take where its contract does not say. */
  readonly answerTimeoutMs: number;
  /** Put before the path of a Location. */
  readonly basePath: string;
}

/** A contract that has a route. */
export type MountedContract = Contract & { readonly http: HttpRoute };

/** What a contract decides by code, with the types forgotten: its schemas have checked what it is called with. */
type Edge = {
  readonly answer?: (meta: unknown) => HttpAnswer;
  readonly confirmed?: (input: unknown) => boolean;
  readonly verify?: (input: unknown) => void;
};

interface ReadBody {
  readonly bytes: Buffer;
  readonly value: unknown;
  readonly contentType?: string;
}

const empty = Buffer.alloc(0);
const idempotencyKeyPattern = /^[\x20-\x7e\x80-\xff]{1,255}$/;
const unknownType = 'application/octet-stream';

function wantsPrettyBody(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (value as { pretty?: unknown }).pretty === true;
}

/**
 * One contract as an HTTP endpoint. It knows no rule of the business: all that it does follows from the contract, and
 * everything that can be prepared is prepared once.
 */
export class Endpoint {
  readonly route: HttpRoute;
  private readonly edge: Edge;
  private readonly query;
  private readonly headers;
  private readonly path;
  private readonly jsonBody: JsonBodyReader | undefined;
  private readonly body: JsonBody | BytesBody | undefined;
  private readonly answersJson: boolean;
  private readonly timeoutMs: number;

  constructor(
    readonly contract: MountedContract,
    private readonly context: EndpointContext,
  ) {
    const { http, params, query, headers, body, output } = contract;
    this.route = http;
    this.edge = contract as unknown as Edge;
    this.query = queryReader(query, http.freeQueryPrefixes);
    this.headers = headerReader(headers, http.freeHeaderPrefixes);
    this.path = pathReader(params);
    this.body = body instanceof z.ZodType ? { kind: 'json', variants: { [jsonType]: body } } : body;
    this.jsonBody = this.body?.kind === 'json' ? jsonBodyReader(this.body, http.method) : undefined;
    this.answersJson = output !== undefined && output !== rawOutput;
    this.timeoutMs = contract.timeoutMs ?? context.answerTimeoutMs;
  }

  /** Answers the request, whatever happens. */
  serve(exchange: Exchange, params: Readonly<Record<string, string>>): void {
    this.answer(exchange, params).catch((error: unknown) => this.context.responder.refuse(exchange, error));
  }

  private async answer(exchange: Exchange, pathParams: Readonly<Record<string, string>>): Promise<void> {
    const { admission, authenticator } = this.context;
    const args = parseQuery(exchange.queryText);
    exchange.pretty = isPretty(args);
    const { headers: given, rawHeaders } = exchange.req;
    if (this.answersJson && !accepts(given.accept, jsonType)) throw new ServiceError(notAcceptable);

    const found = authenticator.authenticate(this.route.access ?? 'retailer', given.authorization, args);
    const caller = found instanceof Promise ? await found : found;
    exchange.retailer = caller.retailer;
    exchange.principal = caller.principal.id;
    this.admit(caller);
    admission.checkBroker();

    const params = this.path.read(pathParams);
    const query = this.query.read(caller.consumers ? withConsumerOnce(args) : args);
    this.checkConsumer(caller, args);
    const headers = this.headers.read(rawHeaders);
    const idempotencyKey = this.idempotencyKey(given['idempotency-key']);
    const { bytes, value, contentType } = await this.readBody(exchange);

    const input = { params, query, headers, body: value, contentType } as Input;
    this.edge.verify?.(input);
    const call = this.call(exchange, caller, idempotencyKey);
    const request: RawRequest = {
      params,
      query,
      headers,
      body: bytes,
      ...(contentType !== undefined && { contentType }),
    };
    if (idempotencyKey === undefined && this.edge.confirmed?.(input) === true) {
      await this.context.broker.sendRaw(this.contract, request, call);
      this.reply(exchange, { meta: { id: call.id }, body: empty });
    } else this.reply(exchange, await this.context.broker.askRaw(this.contract, request, call));
  }

  private admit(caller: Caller): void {
    const limiter = this.contract.kind === 'query' ? this.context.reads : this.context.writes;
    limiter.take(caller.limitedAs);
    const { permission } = this.contract;
    if (permission !== undefined && !caller.permissions.has(permission)) {
      throw new ServiceError(permissionDenied, { description: `permission denied: ${permission} is needed` });
    }
  }

  /** The client setting `consumer_required` (decisions, section 6). */
  private checkConsumer(caller: Caller, args: QueryArguments): void {
    if (this.route.consumerScoped !== true || caller.settings?.consumer_required !== true) return;
    if (caller.consumers || args.has('consumer')) return;
    throw invalid('consumer', 'required', 'is required');
  }

  private idempotencyKey(given: string | string[] | undefined): string | undefined {
    if (this.route.method !== 'POST' || given === undefined) return undefined;
    if (typeof given === 'string' && idempotencyKeyPattern.test(given)) return given;
    throw invalid('idempotency-key', 'invalid_format', 'must have 1 to 255 characters');
  }

  private async readBody(exchange: Exchange): Promise<ReadBody> {
    const { body, jsonBody } = this;
    const { limits } = this.context;
    const { headers } = exchange.req;
    if (!body) return { bytes: empty, value: undefined };
    if (!jsonBody) {
      checkCoding(headers['content-encoding']);
      const isAttachment = body.kind === 'bytes' && body.limit === 'attachment';
      const bytes = await readBody(exchange, isAttachment ? limits.attachmentBytesMax : limits.bodyBytesMax);
      const contentType = headers['content-type'] ?? unknownType;
      return { bytes, value: bytes, contentType };
    }
    const isOptional = body.kind === 'json' && body.optional === true;
    if (isOptional && !hasBody(exchange)) return { bytes: empty, value: undefined };
    const contentType = jsonBody.mediaTypeOf(headers);
    const bytes = await readBody(exchange, limits.bodyBytesMax);
    if (isOptional && bytes.length === 0) return { bytes: empty, value: undefined };
    const read = jsonBody.read(bytes, contentType);
    if (wantsPrettyBody(read.value)) exchange.pretty = true;
    return { ...read, contentType };
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
      deadline: at + this.timeoutMs,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      traceparent: exchange.traceparent,
      at,
    };
  }

  private reply(exchange: Exchange, { meta, replayed, body }: RawReply): void {
    const { status = this.route.success, headers: given } = this.edge.answer?.(meta) ?? {};
    const headers: Record<string, string> = {};
    const hasContent = body.length > 0 && status !== 204;
    if (hasContent) headers['content-type'] = this.contentTypeOf(meta);
    for (const [name, value] of Object.entries(given ?? {})) headers[name.toLowerCase()] = value;
    const { location } = headers;
    if (location?.startsWith('/')) headers['location'] = this.context.basePath + location;
    if (replayed === true) headers['idempotent-replayed'] = 'true';
    this.context.responder.reply(exchange, status, headers satisfies Headers, hasContent ? body : undefined);
  }

  private contentTypeOf(meta: unknown): string {
    if (this.answersJson) return jsonType;
    const contentType: unknown = (meta as { contentType?: unknown } | undefined)?.contentType;
    return typeof contentType === 'string' ? contentType : unknownType;
  }
}
