import type { z } from 'zod';
import type { Body, BytesBody, JsonBody } from './body';
import type { Call } from './call';
import type { ErrorDefinition, ServiceError } from './errors';

/** Marks an output that is not JSON; its `contentType` is in the reply's meta. */
export const rawOutput = 'raw' as const;

/** The status and headers of an HTTP response, if it is not just "200 with the body". */
export interface HttpResponse {
  readonly status?: number;
  /** A list is sent as one header line per value, as `Set-Cookie` requires. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** Requests per caller and time window, in addition to the general limits. */
export interface RouteRate {
  readonly requests: number;
  readonly perSeconds: number;
}

export interface HttpRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{name}` is a path parameter, as in OpenAPI. */
  readonly path: string;
  /** True if the path is also served with a trailing slash, for pages whose address people type. */
  readonly trailingSlash?: boolean;
  /** Set if the header `service-api-version` selects between contracts with the same method and path. */
  readonly version?: '1' | '2';
  /** Who may call: a client of a retailer (default), the operator, or anyone. */
  readonly access?: 'retailer' | 'operator' | 'public';
  /** The success status, unless `response` sets another status. */
  readonly success: number;
  /** Further statuses that `response` can set, for the API description. */
  readonly otherSuccess?: readonly number[];
  /** True for a command that web pages may call with a URL signature. Queries may always be called. */
  readonly fromPages?: boolean;
  /**
   * True if the response contains data of consumers, so that the client setting `consumer_required` applies: such a client
   * must name a consumer or, if the contract is not `forConsumers`, is rejected.
   */
  readonly consumerScoped?: boolean;
  /**
   * Query parameters with one of these prefixes are passed to the query schema as its member `free`, a list of
   * decoded `[name, value]` pairs with the names and order of the request. Prefixes are matched case-insensitively,
   * with `_` read as `-`.
   */
  readonly freeQueryPrefixes?: readonly string[];
  /** True if unknown query parameters are ignored; otherwise they cause 400. For links that people share. */
  readonly ignoresUnknownQuery?: boolean;
  /** The same for headers, in the member `free` of the header schema; each line of a repeated header is a pair. */
  readonly freeHeaderPrefixes?: readonly string[];
  /** The free-form parameters, only for the API description. */
  readonly freeParameters?: readonly FreeParameter[];
  /**
   * The media types of a raw output, default first. The gateway selects one by `Accept` (406 if none matches) and
   * passes it to the header schema as the member `accept`; the owner reports the actual type in its meta.
   */
  readonly produces?: readonly [string, ...string[]];
  /**
   * The media types of the files that the query parameter `format` chooses instead of the JSON output, by format. The owner
   * reports the media type in its meta. The API description has the JSON output alone, so that clients generated from it
   * have its type.
   */
  readonly formats?: Readonly<Record<string, string>>;
  /** The schema of the response as `application/json`, if `produces` contains that type; for the API description. */
  readonly producedJson?: z.ZodType;
  /** A rate limit of this route, per credential, or per network of the caller for public routes. */
  readonly rate?: RouteRate;
}

/** A parameter that the owner receives in `free`, as the API description shows it. */
export interface FreeParameter {
  readonly in: 'query' | 'header';
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: string | number;
}

/** Query and header schemas are objects, so that the gateway knows all parameter names. */
type Members = z.ZodObject;

export interface ContractShape {
  readonly name: `${string}.${string}`;
  readonly summary: string;
  /** The purpose, and everything that a caller must know. Part of the API description. */
  readonly description: string;
  /** The permission that the caller's credential must have. Absent for internal and public contracts. */
  readonly permission?: `view.${string}`;
  readonly http?: HttpRoute;
  readonly params?: Members;
  readonly query?: Members;
  readonly headers?: Members;
  readonly body?: Body | z.ZodType;
  readonly output?: z.ZodType | typeof rawOutput;
  /** Values in addition to the output, which `response` converts to status and headers. */
  readonly meta?: z.ZodType;
  readonly errors?: readonly ErrorDefinition[];
  /** The data about the caller that the owner needs in addition to the principal. */
  readonly needs?: { readonly permissions?: boolean };
  /**
   * What callers who are restricted to stores get: the data of their stores, to which the owner restricts them, or
   * everything, because nothing of it belongs to a store. If absent, these callers are rejected, so that a contract that
   * ignores the restriction cannot bypass it.
   */
  readonly forStores?: 'confined' | 'unrelated';
  /**
   * What signatures that are restricted to consumers get: the data of these consumers, to which the owner restricts
   * them, or everything, because nothing of it belongs to a consumer. If absent, the gateway rejects them: they are in the
   * hands of a consumer, who must not access the retailer's own data, regardless of the key's permissions.
   */
  readonly forConsumers?: 'confined' | 'unrelated';
  /** Examples for the API description. */
  readonly examples?: { readonly request?: unknown; readonly response?: unknown };
  /** The caller's timeout in milliseconds; default is the gateway's setting. */
  readonly timeoutMs?: number;
}

/** A declared contract. Its functions take what the schemas have checked. */
export type Contract<T extends ContractShape = ContractShape> = T & {
  readonly kind: 'command' | 'query';
  readonly owner: string;
  readonly response?: (meta: unknown) => HttpResponse;
  readonly poll?: Poll<unknown, unknown>;
  readonly nextPart?: (meta: unknown) => Readonly<Record<string, unknown>> | undefined;
  readonly oneWay?: (input: unknown) => boolean;
  readonly verify?: (input: unknown) => void;
  readonly consumerOf?: (input: unknown) => string | null | undefined;
};

type MembersOf<T> = T extends z.ZodType ? z.output<T> : undefined;
type BodyOf<B> =
  B extends JsonBody<infer V>
    ? z.output<V[keyof V]>
    : B extends BytesBody
      ? Buffer
      : B extends z.ZodType
        ? z.output<B>
        : undefined;

/** The input of a handler. Members that the contract does not declare are undefined. */
export interface Input<C extends ContractShape = ContractShape> {
  readonly params: MembersOf<C['params']>;
  readonly query: MembersOf<C['query']>;
  readonly headers: MembersOf<C['headers']>;
  readonly body: BodyOf<C['body']>;
  /** The original media type of the body; absent for internal calls. */
  readonly contentType?: string;
}

type OutputOf<O> = O extends z.ZodType ? z.input<O> : O extends typeof rawOutput ? Buffer : undefined;
type MetaOf<M> = M extends z.ZodType ? z.input<M> : undefined;

/** The result of a handler. `body` may already be serialized, as the bytes of JSON. */
export type Reply<C extends ContractShape = ContractShape> = (OutputOf<C['output']> extends undefined
  ? { readonly body?: undefined }
  : { readonly body: OutputOf<C['output']> | Buffer | undefined }) &
  (MetaOf<C['meta']> extends undefined
    ? { readonly meta?: undefined }
    : { readonly meta: MetaOf<C['meta']> }) & {
    /** True for the stored reply of an earlier request with the same idempotency key. */
    readonly replayed?: boolean;
    /**
     * True if a part of the request failed temporarily: a retry with the same idempotency key executes the request
     * again.
     */
    readonly provisional?: boolean;
  };

export interface Item<C extends ContractShape = ContractShape> {
  readonly input: Input<C>;
  readonly call: Call;
}

export type Handler<C extends ContractShape = ContractShape> = (
  input: Input<C>,
  call: Call,
) => Promise<Reply<C>>;

/** Handles several items in one call and returns one result per item, in the same order. */
export interface BatchHandler<C extends ContractShape = ContractShape> {
  readonly batch: (items: readonly Item<C>[]) => Promise<readonly (Reply<C> | ServiceError)[]>;
}

/** The members of the input that the contract declares. The body may already be serialized. */
export type RequestInput<C extends ContractShape> = {
  readonly [K in keyof Input<C> as Input<C>[K] extends undefined ? never : K]?: K extends 'body'
    ? Input<C>[K] | Buffer
    : Input<C>[K];
};

type ReceivedBody<O> = O extends z.ZodType ? z.output<O> : O extends typeof rawOutput ? Buffer : undefined;

export interface ReceivedReply<C extends ContractShape> {
  readonly body: ReceivedBody<C['output']>;
  readonly meta: Reply<C>['meta'];
  readonly replayed: boolean;
}

/** Sends a request to the owner of a contract, and waits for the reply. */
export type SendRequest = <C extends Contract>(
  contract: C,
  input: RequestInput<C>,
  call: Call,
) => Promise<ReceivedReply<C>>;

/** One handler per contract of an owner; a missing handler is a compile error. */
export type Handlers<T extends Readonly<Record<string, ContractShape>>> = {
  readonly [K in keyof T]: Handler<T[K]> | BatchHandler<T[K]>;
};

function ownerOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

/** A query that supports long polling. The gateway waits and queries again, so the owner always replies immediately. */
export interface Poll<I, M> {
  /** The maximum wait requested by the caller, in seconds. */
  readonly waitSeconds: (input: I) => number;
  /**
   * Undefined if the reply has a result to return. Otherwise the query members to change for the next request, such as
   * the cursor.
   */
  readonly nextQuery: (meta: M) => Readonly<Record<string, unknown>> | undefined;
}

/** The parts of a contract that the gateway executes as code; the shape is plain data. */
export interface QueryHooks<T extends ContractShape> {
  /** Converts the reply's meta to status and headers. */
  readonly response?: (meta: MetaOf<T['meta']>) => HttpResponse;
  readonly poll?: Poll<Input<T>, MetaOf<T['meta']>>;
  /**
   * For replies that may be too large for one message: the query members that request the next part, or undefined if
   * the reply is complete. The gateway streams the parts as one body, and JSON arrays as one array.
   */
  readonly nextPart?: (meta: MetaOf<T['meta']>) => Readonly<Record<string, unknown>> | undefined;
}

export interface CommandHooks<T extends ContractShape> extends QueryHooks<T> {
  /**
   * Validates rules across several parts of the request. It runs after the schemas and before `oneWay`, and throws
   * a ServiceError.
   */
  readonly verify?: (input: Input<T>) => void;
  /**
   * The consumer for whom the request creates an object. A caller that is restricted to consumers must name one of
   * them, otherwise the gateway replies 403 `consumer_mismatch`, so the owner need not check it again.
   */
  readonly consumerOf?: (input: Input<T>) => string | null | undefined;
  /**
   * True if a request with this input is a one-way command: the message is persistent, and its sender waits for the
   * broker's confirm instead of the owner's reply. `response` then receives `{ id }`, the id of the message. A command that declares this can be sent, and its
   * owner has a durable queue for it; all others can only be asked.
   */
  readonly oneWay?: (input: Input<T>) => boolean;
}

/** A request that changes state. Its name is `owner.verb-noun`. */
export function defineCommand<const T extends ContractShape>(
  shape: T,
  hooks: CommandHooks<T> = {},
): Contract<T> {
  return { ...shape, ...hooks, kind: 'command', owner: ownerOf(shape.name) } as unknown as Contract<T>;
}

/** A read-only request. */
export function defineQuery<const T extends ContractShape>(shape: T, hooks: QueryHooks<T> = {}): Contract<T> {
  return { ...shape, ...hooks, kind: 'query', owner: ownerOf(shape.name) } as unknown as Contract<T>;
}

/**
 * Events for `integrators` are published as CloudEvents on the public exchange, and in batches to our own services.
 * `internal` events go to our own services only and are not part of the public documentation.
 */
export type EventAudience = 'integrators' | 'internal';

export interface EventContract<T extends string = string, D extends z.ZodType = z.ZodType> {
  /** `subject.happened`, past tense; also the routing key. */
  readonly type: T;
  readonly owner: string;
  /** The last part of the CloudEvents source `/retailers/{id}/{collection}`. */
  readonly collection: string;
  readonly summary: string;
  readonly description: string;
  /** Default `integrators`. */
  readonly audience?: EventAudience;
  /** The version of the data schema, part of `dataschema`; default 1. */
  readonly version?: number;
  readonly data: D;
}

/** Declares an event, which its owner publishes to all subscribers. */
export function defineEvent<const T extends `${string}.${string}`, D extends z.ZodType>(
  contract: EventContract<T, D>,
): EventContract<T, D> {
  return contract;
}
