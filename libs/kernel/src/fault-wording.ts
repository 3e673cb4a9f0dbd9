import { z } from 'zod';

/**
 * The wording of every fault that a schema can report, so that one fault reads the same wherever it occurs and no
 * sentence of the validation library reaches a caller. Each wording completes the sentence "<field> ...". A schema
 * whose rule needs a different wording sets it with `error`.
 */

/** The wordings that are also used outside the schemas. */
export const wording = {
  required: 'is required',
  unknownField: 'is not a known field',
  unknownParameter: 'is not a known parameter',
  repeated: 'must be given once',
  emptyValue: 'must not have an empty value',
  string: 'must be a string',
  boolean: 'must be true or false',
  integer: 'must be an integer',
  object: 'must be an object',
  finite: 'must be a finite number',
  onlyFinite: 'must have only finite numbers',
  base64: 'must be base64 (RFC 4648, section 4)',
  dateTime: 'must be an ISO 8601 date and time, such as 2024-05-17T14:03:22+02:00',
  uuidV4: 'must be a UUID of version 4 (RFC 4122)',
  email: 'must be an e-mail address',
  eventType: 'does not match any event type',
} as const;

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  tuple: 'an array',
};

/** The unit of a size, by the origin of the issue; other origins are compared by value. */
const unitNames: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['value', 'values'],
  object: ['member', 'members'],
  file: ['byte', 'bytes'],
};

type Size = number | bigint;

function sized(origin: string, comparison: string, size: Size): string {
  const [one, many] = unitNames[origin] ?? [];
  if (many === undefined) return `must be ${comparison} ${size}`;
  const verb = origin === 'string' || origin === 'file' ? 'must be' : 'must have';
  return `${verb} ${comparison} ${size} ${Number(size) === 1 ? one : many}`;
}

export const mustBeAtLeast = (size: Size, origin = 'number') => sized(origin, 'at least', size);
export const mustBeAtMost = (size: Size, origin = 'number') => sized(origin, 'at most', size);
export const mustBeOneOf = (values: readonly unknown[]) =>
  values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.map(String).join(', ')}`;

const isInteger = (schema: unknown) => schema instanceof z.ZodNumberFormat;

function ofType({ expected, input, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  if (input === undefined) return wording.required;
  if (isInteger(inst)) return wording.integer;
  if (expected === 'number' && typeof input === 'number') return wording.finite;
  return `must be ${typeNames[expected] ?? 'of another type'}`;
}

function ofFormat({ pattern }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>): string {
  const source = /^\/(.*)\/[a-z]*$/s.exec(String(pattern ?? ''))?.[1];
  return source === undefined ? 'has an invalid format' : `must match ${source}`;
}

const mustBe = 'must be ';

/** Joins the requirements of the alternatives: `must be a string or an integer`. */
function ofUnion({ errors, options }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const discriminators: unknown = options;
  if (Array.isArray(discriminators) && discriminators.length > 0) return mustBeOneOf(discriminators);
  const wordings = errors.flatMap(([first]) => (first && first.path.length === 0 ? [first.message] : []));
  const [first, ...others] = new Set(wordings);
  if (first === undefined) return 'must have one of the described forms';
  const rest = others.map((wording) => (wording.startsWith(mustBe) ? wording.slice(mustBe.length) : wording));
  return [first, ...rest].join(' or ');
}

const ofKey = ({ issues: [first] }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidKey>): string =>
  `is not a valid name: it ${first?.message ?? 'is not allowed'}`;

function ofTooSmall({
  exact,
  inclusive,
  minimum,
  origin,
}: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  if (exact === true) return sized(origin, 'exactly', minimum);
  return inclusive === false ? sized(origin, 'more than', minimum) : mustBeAtLeast(minimum, origin);
}

function ofTooBig({
  exact,
  inclusive,
  maximum,
  origin,
}: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string {
  if (exact === true) return sized(origin, 'exactly', maximum);
  return inclusive === false ? sized(origin, 'less than', maximum) : mustBeAtMost(maximum, origin);
}

/** The wording of a fault without a specific wording. */
export function wordingOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return ofType(issue);
    case 'invalid_value':
      return issue.input === undefined ? wording.required : mustBeOneOf(issue.values);
    case 'too_small':
      return ofTooSmall(issue);
    case 'too_big':
      return ofTooBig(issue);
    case 'invalid_format':
      return ofFormat(issue);
    case 'unrecognized_keys':
      return wording.unknownField;
    case 'invalid_key':
      return ofKey(issue);
    case 'invalid_union':
      return issue.input === undefined ? wording.required : ofUnion(issue);
    case 'not_multiple_of':
    case 'invalid_element':
    case 'custom':
    default:
      return 'is invalid';
  }
}

z.config({ localeError: wordingOf });
