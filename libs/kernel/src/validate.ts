import type { z } from 'zod';
import { schemaValidationFailed, ServiceError, type ErrorDefinition, type FieldFault } from './errors';

/** More faults than this are not listed, so that a hostile body cannot make a huge answer. */
export const faultsMax = 1000;

type Issue = z.core.$ZodIssue;

function pointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function codeOf(issue: Issue): string {
  if (issue.code === 'custom') {
    const code: unknown = issue.params?.['code'];
    return typeof code === 'string' ? code : 'invalid';
  }
  if (
    issue.code === 'invalid_type' &&
    issue.input === undefined &&
    issue.message.includes('received undefined')
  ) {
    return 'required';
  }
  return issue.code === 'invalid_union' ? 'invalid_type' : issue.code;
}

function messageOf(issue: Issue): string {
  return codeOf(issue) === 'required' ? 'is required' : issue.message;
}

/** The faults of a failed parse, one for each thing that is wrong. An unknown key is named by its own path. */
export function faultsOf(error: z.core.$ZodError): FieldFault[] {
  const faults: FieldFault[] = [];
  for (const issue of error.issues) {
    if (faults.length >= faultsMax) break;
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys.slice(0, faultsMax - faults.length)) {
        faults.push({
          path: pointer([...issue.path, key]),
          code: 'unknown_field',
          message: 'is not a known field',
        });
      }
    } else faults.push({ path: pointer(issue.path), code: codeOf(issue), message: messageOf(issue) });
  }
  return faults;
}

/** The error that all faults agree on: a check names it in the `params.error` of its issues. */
function agreedError(issues: readonly Issue[]): ErrorDefinition | undefined {
  const errors = new Set(
    issues.map((issue) => (issue.code === 'custom' ? (issue.params?.['error'] as unknown) : undefined)),
  );
  const [error] = errors;
  return errors.size === 1 ? (error as ErrorDefinition | undefined) : undefined;
}

/**
 * zod names whatever is wrong, and for some hundred thousand things that takes it seconds and a gigabyte. With this option,
 * which it has for `validate` and leaves out of its types, it goes no further than the first faults.
 */
const upToFirstFaults = { abortEarly: true } as z.core.ParseContext<z.core.$ZodIssue>;

/** As many elements of arrays are looked at for their faults. More than that is not what somebody mistyped. */
const elementsMax = 20_000;
/** So many at first, and then half as many again each time: naming thousands of faults that are not told takes long. */
const elementsFirst = 500;

/** The value without the elements of arrays that are too many. No array becomes empty, which might be a fault of its own. */
function shortened(value: unknown, elements: number): { readonly value: unknown; readonly isWhole: boolean } {
  let left = elements;
  const copyOf = (part: unknown): unknown => {
    if (Array.isArray(part)) {
      const kept = part.slice(0, Math.max(1, left));
      left -= part.length;
      return kept.map(copyOf);
    }
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, copyOf(member)]));
  };
  return { value: copyOf(value), isWhole: left >= 0 };
}

/**
 * The outcome for a value that is likely to be faulty: with all its faults, or the first of them where there are more than
 * are told.
 */
function explain<S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseResult<z.output<S>> {
  for (let elements = elementsFirst; ; elements = Math.ceil(elements * 1.5)) {
    const part = shortened(value, Math.min(elements, elementsMax));
    const result = schema.safeParse(part.isWhole ? value : part.value);
    const isTold = !result.success && result.error.issues.length >= faultsMax;
    if (part.isWhole || isTold || elements >= elementsMax) return result;
  }
}

/** Like `safeParse` of zod, but the time and memory that faults take have a bound, however many there are. */
export function parseBounded<S extends z.ZodType>(
  schema: S,
  value: unknown,
): z.ZodSafeParseResult<z.output<S>> {
  const result = schema.safeParse(value, upToFirstFaults);
  if (result.success) return result;
  const named = explain(schema, value);
  // The only faults may lie beyond what was looked at.
  return named.success ? result : named;
}

/**
 * Checks a value against a schema.
 * @throws ServiceError with all faults; 422 `schema_validation_failed` unless another definition is given, or all faults
 * are of a kind that has an error of its own.
 */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  definition: ErrorDefinition = schemaValidationFailed,
): z.output<S> {
  return accepted(parseBounded(schema, value), definition);
}

/** The same for a value that is likely to be faulty, which is then looked at once less. */
export function checkFaulty<S extends z.ZodType>(
  schema: S,
  value: unknown,
  definition: ErrorDefinition = schemaValidationFailed,
): z.output<S> {
  return accepted(explain(schema, value), definition);
}

function accepted<T>(result: z.ZodSafeParseResult<T>, definition: ErrorDefinition): T {
  if (result.success) return result.data;
  const errors = faultsOf(result.error);
  throw new ServiceError(agreedError(result.error.issues) ?? definition, { errors });
}
