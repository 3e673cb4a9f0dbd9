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
 * Checks a value against a schema.
 * @throws ServiceError with all faults; 422 `schema_validation_failed` unless another definition is given, or all faults
 * are of a kind that has an error of its own.
 */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  definition: ErrorDefinition = schemaValidationFailed,
): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = faultsOf(result.error);
  throw new ServiceError(agreedError(result.error.issues) ?? definition, { errors });
}
