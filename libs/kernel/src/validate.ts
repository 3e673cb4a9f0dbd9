import { EventLoopBudget, runInTurns } from '@receipts/concurrency';
import type { z } from 'zod';
import {
  invalidParameter,
  schemaValidationFailed,
  ServiceError,
  type ErrorDefinition,
  type FieldFault,
} from './errors';
import { collectErrors, faultsMax, partNodesMax, upToFirstFaults, type Issue } from './collect-errors';
import { wording } from './fault-wording';

/** The JSON Pointer (RFC 6901) of a path. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

const codesOfMissing: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

function isMissing(issue: Issue): boolean {
  return codesOfMissing.has(issue.code) && 'input' in issue && issue.input === undefined;
}

function codeOf(issue: Issue): string {
  if (issue.code === 'custom') {
    const code: unknown = issue.params?.['code'];
    return typeof code === 'string' ? code : 'invalid';
  }
  return issue.code === 'invalid_union' ? 'invalid_type' : issue.code;
}

/**
 * The issues of the only union alternative that matches the shape of a value, for instance if the value is an
 * object with a wrong member. Undefined if there is none, or several.
 */
function issuesOfMeantAlternative(issue: Issue): readonly Issue[] | undefined {
  if (issue.code !== 'invalid_union') return undefined;
  const isInside = ({ code, path }: Issue) => path.length > 0 || code === 'unrecognized_keys';
  const [meant, another] = issue.errors.filter((issues) => issues.length > 0 && issues.every(isInside));
  return another ? undefined : meant?.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

function addFaults(faults: FieldFault[], issues: readonly Issue[]): void {
  for (const issue of issues) {
    if (faults.length >= faultsMax) return;
    const path = jsonPointer(issue.path);
    const meant = issuesOfMeantAlternative(issue);
    if (isMissing(issue)) faults.push({ path, code: 'required', message: wording.required });
    else if (meant) addFaults(faults, meant);
    else if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys.slice(0, faultsMax - faults.length)) {
        const pathOfKey = jsonPointer([...issue.path, key]);
        faults.push({ path: pathOfKey, code: 'unknown_field', message: wording.unknownField });
      }
    } else faults.push({ path, code: codeOf(issue), message: issue.message });
  }
}

/** The faults of a failed parse, one per violation. An unknown key is reported under its own path. */
export function faultsOf(error: z.core.$ZodError): FieldFault[] {
  const faults: FieldFault[] = [];
  addFaults(faults, error.issues);
  return faults;
}

/** The error that all faults have in common; a check sets it in the `params.error` of its issues. */
function agreedError(issues: readonly Issue[]): ErrorDefinition | undefined {
  const errors = new Set(
    issues.map((issue) => (issue.code === 'custom' ? (issue.params?.['error'] as unknown) : undefined)),
  );
  const [error] = errors;
  return errors.size === 1 ? (error as ErrorDefinition | undefined) : undefined;
}

/** Like zod's `safeParse`, with a limit on the time and memory spent on faults. */
export function parseBounded<S extends z.ZodType>(
  schema: S,
  value: unknown,
): z.ZodSafeParseResult<z.output<S>> {
  const result = schema.safeParse(value, upToFirstFaults);
  if (result.success) return result;
  const steps = collectErrors(schema, value);
  for (;;) {
    const { done, value: named } = steps.next();
    // The only faults may be beyond the checked parts.
    if (done) return named.success ? result : named;
  }
}

/**
 * Checks a value against a schema.
 * @throws ServiceError with all faults; 422 `schema_validation_failed` unless another definition is given, or all
 * faults share a specific error
 */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  definition: ErrorDefinition = schemaValidationFailed,
): z.output<S> {
  return accepted(parseBounded(schema, value), definition);
}

/** Shared by all callers of `checkInTurns`: at most one part is checked in one turn of the event loop. */
const partsBudget = new EventLoopBudget(partNodesMax);

/**
 * Like `check`, for values that are likely to be invalid and may be large: it yields to the event loop between parts.
 */
export async function checkInTurns<S extends z.ZodType>(
  schema: S,
  value: unknown,
  definition: ErrorDefinition = schemaValidationFailed,
): Promise<z.output<S>> {
  return accepted(await runInTurns(collectErrors(schema, value), partsBudget, partNodesMax), definition);
}

function accepted<T>(result: z.ZodSafeParseResult<T>, definition: ErrorDefinition): T {
  if (result.success) return result.data;
  const errors = faultsOf(result.error);
  throw new ServiceError(agreedError(result.error.issues) ?? definition, { errors });
}

/** The error for query parameters, headers and path parameters. The description names the first invalid one. */
export function invalidParameters(errors: readonly FieldFault[]): ServiceError {
  const [first] = errors;
  const description = first ? `${first.path.slice(1)} ${first.message}` : invalidParameter.description;
  return new ServiceError(invalidParameter, { description, errors });
}
