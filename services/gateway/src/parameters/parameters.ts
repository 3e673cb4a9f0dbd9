import {
  withInputs,
  wording,
  faultsOf,
  invalidParameters,
  jsonPointer,
  type FieldFault,
  type HttpRoute,
  type ServiceError,
} from '@receipts/kernel';
import type { z } from 'zod';
import { membersOf, parameterSchema } from './parameter-schemas';
import type { QueryArguments } from './query-string';

type Pair = readonly [name: string, value: string];

/** The query parameters of a URL signature, which every route accepts (docs/interface.md, "URL signatures"). */
const signatureNames = new Set(['key', 'expires', 'signature']);

function fold(name: string): string {
  const lower = name.toLowerCase();
  return lower.includes('_') ? lower.replaceAll('_', '-') : lower;
}

/** Matches names with one of these prefixes, ignoring case and treating `_` as `-`. */
function freeNames(freePrefixes: readonly string[]): (name: string) => boolean {
  const prefixes = freePrefixes.map(fold);
  return (name) => {
    const folded = fold(name);
    return prefixes.some((prefix) => folded.startsWith(prefix));
  };
}

/** Passes named values to the members of an object schema, each in the expected form. */
class Members {
  private readonly takesList: ReadonlyMap<string, boolean>;
  private readonly whenEmpty: { readonly output: unknown } | undefined;

  constructor(
    private readonly schema: z.ZodObject | undefined,
    reserved: readonly string[],
  ) {
    const members = membersOf(schema).filter(([name]) => !reserved.includes(name));
    this.takesList = new Map(members.map(([name, member]) => [name, parameterSchema(member).takesList]));
    const empty = schema?.safeParse({});
    this.whenEmpty = empty?.success === true ? { output: Object.freeze(empty.data) } : undefined;
  }

  get size(): number {
    return this.takesList.size;
  }

  has(name: string): boolean {
    return this.takesList.has(name);
  }

  value(name: string, values: readonly string[]): unknown {
    return this.takesList.get(name) === true ? values : values.join(', ');
  }

  /**
   * @param given undefined if there are none; the result for this case is computed once.
   * @param faults those that are already known
   * @throws ServiceError 400 `invalid_parameter` with every error.
   */
  parse(given: Readonly<Record<string, unknown>> | undefined, faults: FieldFault[] = []): unknown {
    let output: unknown;
    if (!given && this.whenEmpty) output = this.whenEmpty.output;
    else if (this.schema) {
      const result = this.schema.safeParse(given ?? {}, withInputs);
      if (result.success) output = result.data;
      else faults.push(...faultsOf(result.error));
    }
    if (faults.length > 0) throw invalidParameters(faults);
    return output;
  }
}

type QueryOptions = Partial<Pick<HttpRoute, 'freeQueryPrefixes' | 'ignoresUnknownQuery'>>;

/** Reads query parameters. It throws ServiceError 400 `invalid_parameter` with every error. */
export function queryReader(
  schema: z.ZodObject | undefined,
  { freeQueryPrefixes: freePrefixes = [], ignoresUnknownQuery = false }: QueryOptions = {},
): (args: QueryArguments) => unknown {
  const members = new Members(schema, freePrefixes.length > 0 ? ['free'] : []);
  const isFree = freeNames(freePrefixes);

  function isForeign(name: string, args: QueryArguments): boolean {
    if (name === 'pretty' || signatureNames.has(name)) return true;
    return name === 'consumer' && args.has('signature');
  }

  return (args) => {
    let given: Record<string, unknown> | undefined;
    let free: Pair[] | undefined;
    const faults: FieldFault[] = [];
    for (const [name, values] of args) {
      if (members.has(name)) (given ??= {})[name] = members.value(name, values);
      else if (isForeign(name, args)) continue;
      else if (isFree(name)) {
        free ??= [];
        for (const value of values) free.push([name, value]);
      } else if (!ignoresUnknownQuery) {
        faults.push({
          path: jsonPointer([name]),
          code: 'unknown_parameter',
          message: wording.unknownParameter,
        });
      }
    }
    if (free) (given ??= {})['free'] = free;
    return members.parse(given, faults);
  };
}

/** Where a request came from; see `callerAddress` and `networkOf`. */
interface Origin {
  readonly callerAddress: string;
  readonly callerNetwork: string;
}

/** The members of header schemas that the gateway sets itself. */
const originMembers = {
  'caller-address': ({ callerAddress }: Origin) => callerAddress,
  'caller-network': ({ callerNetwork }: Origin) => callerNetwork,
} as const;

export const isOriginMember = (name: string): boolean => Object.hasOwn(originMembers, name);

/**
 * @param rawHeaders alternating names and values, as Node gives them.
 * @param accept the negotiated media type of the response; it replaces the header.
 * @param origin for schemas with the members `caller-address` and `caller-network`; headers of these names are ignored.
 */
type ReadHeaders = (rawHeaders: readonly string[], accept?: string, origin?: Origin) => unknown;

/**
 * Reads headers. It throws ServiceError 400 `invalid_parameter` with every error.
 * @param freePrefixes see `HttpRoute.freeHeaderPrefixes`.
 */
export function headerReader(
  schema: z.ZodObject | undefined,
  freePrefixes: readonly string[] = [],
): ReadHeaders {
  const members = new Members(schema, freePrefixes.length > 0 ? ['free'] : []);
  const isFree = freeNames(freePrefixes);
  const origins = Object.entries(originMembers).filter(([name]) => members.has(name));
  if (members.size === 0 && freePrefixes.length === 0) return () => members.parse(undefined);

  return (rawHeaders, accept, origin) => {
    const lists = new Map<string, string[]>();
    const free: Pair[] = [];
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = (rawHeaders[i] ?? '').toLowerCase();
      const value = rawHeaders[i + 1] ?? '';
      if (members.has(name)) lists.set(name, [...(lists.get(name) ?? []), value]);
      else if (isFree(name)) free.push([name, value]);
    }
    if (accept !== undefined && members.has('accept')) lists.set('accept', [accept]);
    if (origin) for (const [name, valueOf] of origins) lists.set(name, [valueOf(origin)]);
    const given: Record<string, unknown> = free.length > 0 ? { free } : {};
    for (const [name, values] of lists) given[name] = members.value(name, values);
    return members.parse(lists.size + free.length > 0 ? given : undefined);
  };
}

/** Reads path parameters. It throws ServiceError 400 `invalid_parameter`. */
export function pathReader(
  schema: z.ZodObject | undefined,
): (params: Readonly<Record<string, string>>) => unknown {
  const members = new Members(schema, []);
  if (members.size === 0) return () => undefined;
  return (params) => {
    const given: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(params)) {
      if (members.has(name)) given[name] = members.value(name, [value]);
    }
    return members.parse(given);
  };
}

/** @throws ServiceError 400 `invalid_parameter` unless `pretty` is absent, `true` or `false`. */
export function isPretty(args: QueryArguments): boolean {
  const values = args.get('pretty');
  if (!values) return false;
  const [value] = values;
  if (values.length === 1 && (value === 'true' || value === 'false')) return value === 'true';
  throw invalidParameters([{ path: '/pretty', code: 'invalid_type', message: wording.boolean }]);
}

export function invalid(name: string, code: string, message: string): ServiceError {
  return invalidParameters([{ path: jsonPointer([name]), code, message }]);
}
