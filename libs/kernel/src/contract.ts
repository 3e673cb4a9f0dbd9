import type { z } from 'zod';
import type { Call } from './call';
import type { ErrorDefinition, ServiceError } from './errors';

/** Which size limit of the gateway holds for a body: see the gateway's settings for the numbers. */
export type BodyLimit = 'body' | 'attachment';

/**
 * A JSON body. `variants` maps each media type that is accepted to the schema of its body; the schemas only check and
 * never change a value, because the bytes that were checked are the bytes that the owner receives.
 */
export interface JsonBody<
  V extends Readonly<Record<string, z.ZodType>> = Readonly<Record<string, z.ZodType>>,
> {
  readonly kind: 'json';
  readonly variants: V;
  readonly optional?: boolean;
  /** What a body that breaks its schema gets, where that is not 422 `schema_validation_failed`. */
  readonly refusal?: ErrorDefinition;
  /**
   * Says of what a parsed body has too many (422 `too_many`), before it is checked against its schema. Bodies of up to 16 KiB
   * are not asked about: they have not too many of anything.
   */
  readonly tooMany?: (value: unknown) => string | undefined;
}

/** A body of any content type, forwarded as it came. `types` are the media types that are accepted; absent: any. */
export interface BytesBody {
  readonly kind: 'bytes';
  readonly limit: BodyLimit;
  readonly types?: readonly string[];
}

export type Body = JsonBody | BytesBody;

export function json<S extends z.ZodType>(
  schema: S,
  options: Pick<JsonBody, 'tooMany'> = {},
): JsonBody<{ 'application/json': S }> {
  return { kind: 'json', variants: { 'application/json': schema }, ...options };
}

export function jsonVariants<const V extends Readonly<Record<string, z.ZodType>>>(variants: V): JsonBody<V> {
  return { kind: 'json', variants };
}

/** The media type of what a browser's form sends. */
export const formType = 'application/x-www-form-urlencoded' as const;

/**
 * What a browser's form sends. The gateway makes an object of it: a string for each field, a list of strings for one that
 * is repeated. The owner gets it as JSON; `contentType` tells where a contract takes both.
 */
export function form<S extends z.ZodType>(schema: S): JsonBody<{ [formType]: S }> {
  return { kind: 'json', variants: { [formType]: schema } };
}

export function bytes(limit: BodyLimit, types?: readonly string[]): BytesBody {
  return { kind: 'bytes', limit, ...(types && { types }) };
}

/** Marks an output that is not JSON; its `contentType` comes with the reply's meta. */
export const rawOutput = 'raw' as const;

/** How a reply becomes an HTTP answer, where it is more than "200 with the body". */
export interface HttpAnswer {
  readonly status?: number;
  /** A list becomes one line for each of its values, as `Set-Cookie` needs it. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** So many requests of one caller in so many seconds, beside the limits that hold everywhere. */
export interface RouteRate {
  readonly requests: number;
  readonly perSeconds: number;
}

export interface HttpRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{name}` stands for a path parameter, as in OpenAPI. */
  readonly path: string;
  /** Set where the header `service-api-version` chooses between contracts of the same method and path. */
  readonly version?: '1' | '2';
  /** Who may call: a retailer's credential (the default), the operator's token, or anybody. */
  readonly access?: 'retailer' | 'operator' | 'public';
  /** The status of a success, unless `answer` says otherwise. */
  readonly success: number;
  /** Further statuses that `answer` can give, for the API description. */
  readonly otherSuccess?: readonly number[];
  /** True when the client setting `consumer_required` holds here. */
  readonly consumerScoped?: boolean;
  /**
   * Query parameters that begin with one of these are handed to the query schema as its member `free`, a list of
   * `[name, value]`, decoded, in the order and with the names of the request. Names are compared with case ignored and
   * `_` read as `-`.
   */
  readonly freeQueryPrefixes?: readonly string[];
  /** The same for headers, under the member `free` of the headers schema: each line of a repeated header is a pair. */
  readonly freeHeaderPrefixes?: readonly string[];
  /** What the free names are, for the API description only. */
  readonly freeParameters?: readonly FreeParameter[];
  /**
   * The media types in which a raw output is to be had, the usual one first. The gateway chooses by `Accept` (406 where none
   * will do) and hands its choice to the headers schema as the member `accept`; the owner says in its meta what it gave.
   * Where a caller would rather see `text/html`, refusals are a page too.
   */
  readonly produces?: readonly [string, ...string[]];
  /** A limit of this route's own: for each credential, or for each address where anybody may call. */
  readonly rate?: RouteRate;
}

/** A parameter that reaches the owner under `free`, as the API description shows it. */
export interface FreeParameter {
  readonly in: 'query' | 'header';
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Query and header schemas are objects of named members, so that the gateway knows every name. */
type Members = z.ZodObject;

export interface ContractShape {
  readonly name: `${string}.${string}`;
  readonly summary: string;
  /** Why it exists and what a caller must know. Becomes part of the API description. */
  readonly description: string;
  /** The permission that the caller's credential must hold. Absent for internal and public contracts. */
  readonly permission?: `view.${string}`;
  readonly http?: HttpRoute;
  readonly params?: Members;
  readonly query?: Members;
  readonly headers?: Members;
  readonly body?: Body | z.ZodType;
  readonly output?: z.ZodType | typeof rawOutput;
  /** Small facts beside the output, which `answer` turns into status and headers. */
  readonly meta?: z.ZodType;
  readonly errors?: readonly ErrorDefinition[];
  /** What of the caller the owner needs to know besides who it is. */
  readonly needs?: { readonly permissions?: boolean };
  /** Examples for the API description. */
  readonly examples?: { readonly request?: unknown; readonly response?: unknown };
  /** Milliseconds that the caller waits for the answer; the gateway's default where absent. */
  readonly timeoutMs?: number;
}

export type Contract<T extends ContractShape = ContractShape> = T & {
  readonly kind: 'command' | 'query';
  readonly owner: string;
  readonly answer?: (meta: never) => HttpAnswer;
  readonly poll?: Poll<never, never>;
  readonly confirmed?: (input: never) => boolean;
  readonly verify?: (input: never) => void;
  readonly consumerOf?: (input: never) => string | null | undefined;
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

/** What a handler gets. Members that the contract does not declare are undefined. */
export interface Input<C extends ContractShape = ContractShape> {
  readonly params: MembersOf<C['params']>;
  readonly query: MembersOf<C['query']>;
  readonly headers: MembersOf<C['headers']>;
  readonly body: BodyOf<C['body']>;
  /** The media type of the body, as it was sent; absent for internal calls. */
  readonly contentType?: string;
}

type OutputOf<O> = O extends z.ZodType ? z.input<O> : O extends typeof rawOutput ? Buffer : undefined;
type MetaOf<M> = M extends z.ZodType ? z.input<M> : undefined;

/** What a handler gives. `body` may be ready JSON bytes, to spare printing it twice. */
export type Reply<C extends ContractShape = ContractShape> = (OutputOf<C['output']> extends undefined
  ? { readonly body?: undefined }
  : { readonly body: OutputOf<C['output']> | Buffer | undefined }) &
  (MetaOf<C['meta']> extends undefined
    ? { readonly meta?: undefined }
    : { readonly meta: MetaOf<C['meta']> }) & {
    /** True when this is the remembered answer of an earlier request with the same idempotency key. */
    readonly replayed?: boolean;
  };

export interface Item<C extends ContractShape = ContractShape> {
  readonly input: Input<C>;
  readonly call: Call;
}

export type Handler<C extends ContractShape = ContractShape> = (
  input: Input<C>,
  call: Call,
) => Promise<Reply<C>>;

/** Handles what is at hand in one go and answers each item by itself, in the same order. */
export interface BatchHandler<C extends ContractShape = ContractShape> {
  readonly batch: (items: readonly Item<C>[]) => Promise<readonly (Reply<C> | ServiceError)[]>;
}

/** One handler for each contract of an owner: a contract without a handler does not compile. */
export type Handlers<T extends Readonly<Record<string, ContractShape>>> = {
  readonly [K in keyof T]: Handler<T[K]> | BatchHandler<T[K]>;
};

function ownerOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

/** A query that a caller can leave open until there is something to tell. It is the gateway that waits, never the owner. */
export interface Poll<I, M> {
  /** How long the caller wants to wait at most, in seconds. */
  readonly waitSeconds: (input: I) => number;
  /**
   * Undefined when the reply tells something. Otherwise the members of the query to change when the owner is asked again,
   * such as the place from which to go on.
   */
  readonly again: (meta: M) => Readonly<Record<string, unknown>> | undefined;
}

/** What the gateway decides by code: kept apart from the shape, which is plain data. */
export interface QueryEdge<T extends ContractShape> {
  /** Turns the reply's meta into status and headers. */
  readonly answer?: (meta: MetaOf<T['meta']>) => HttpAnswer;
  readonly poll?: Poll<Input<T>, MetaOf<T['meta']>>;
}

export interface CommandEdge<T extends ContractShape> extends QueryEdge<T> {
  /**
   * Rules that no single schema can say, because they look at several parts of the request. It runs after the schemas and
   * before `confirmed`, and throws a ServiceError.
   */
  readonly verify?: (input: Input<T>) => void;
  /**
   * The consumer for whom the request makes something. A caller that is confined to consumers must name one of them, else it
   * is 403 `consumer_mismatch`; the owner need not look again.
   */
  readonly consumerOf?: (input: Input<T>) => string | null | undefined;
  /**
   * True where the caller is content with the broker's confirm of this input: the message is persistent and the owner's
   * answer is not awaited. `answer` then gets `{ id }`, the id of the message.
   */
  readonly confirmed?: (input: Input<T>) => boolean;
}

/** A request that changes something. Its name is `owner.verb-noun`. */
export function defineCommand<const T extends ContractShape>(
  shape: T,
  edge: CommandEdge<T> = {},
): Contract<T> {
  return { ...shape, ...edge, kind: 'command', owner: ownerOf(shape.name) } as unknown as Contract<T>;
}

/** A request that only reads. */
export function defineQuery<const T extends ContractShape>(shape: T, edge: QueryEdge<T> = {}): Contract<T> {
  return { ...shape, ...edge, kind: 'query', owner: ownerOf(shape.name) } as unknown as Contract<T>;
}

/**
 * Integrators get CloudEvents on the public exchange; our own services get these too, in batches. What is `internal` is for
 * our own services alone, and stands in no public description.
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
  /** An object; `integrators` unless said. */
  readonly audience?: EventAudience;
  /** Of the data, shown by `dataschema`; 1 unless said. */
  readonly version?: number;
  readonly data: D;
}

/** Something that happened, said by its owner to whoever listens. */
export function defineEvent<const T extends `${string}.${string}`, D extends z.ZodType>(
  contract: EventContract<T, D>,
): EventContract<T, D> {
  return contract;
}
