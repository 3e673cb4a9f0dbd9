import { z } from 'zod';
import { keyLengthMax } from '../shared/key-text';
import { characters } from '../shared/characters';
import { faultsMax, hasOnlyFiniteNumbers, isPlainValue, withQuick, wording } from '@receipts/kernel';
import { isObject, type FreeObject } from '../shared/schema-checks';
import { readDateTime } from '../shared/date-time';

/**
 * The building blocks of the receipt schemas. They validate but never change a value. Validation is on the hottest path
 * of the platform, so a field has at most one simple check.
 */

/** Reports an error at a path relative to the validated value. */
type Report = (path: readonly PropertyKey[], code: string, message: string) => void;

/** The check of a known member of a free-form object, and its form in the API description. */
export interface KnownMember {
  readonly is: (value: unknown) => boolean;
  readonly message: string;
  readonly openapi: Readonly<Record<string, unknown>>;
  /** The nested known members, if the member is an object. */
  readonly members?: KnownMembers;
}

export type KnownMembers = Readonly<Record<string, KnownMember>>;

function reportNonFinite(value: unknown, path: readonly PropertyKey[], report: Report): void {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) report(path, 'not_finite', wording.finite);
  } else if (Array.isArray(value)) value.forEach((item, n) => reportNonFinite(item, [...path, n], report));
  else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) reportNonFinite(member, [...path, key], report);
  }
}

function reportKnown(object: FreeObject, known: KnownMembers, path: readonly string[], report: Report): void {
  for (const [key, { is, message, members }] of Object.entries(known)) {
    if (!Object.hasOwn(object, key)) continue;
    const value = object[key];
    const at = [...path, key];
    if (!is(value)) report(at, 'invalid_type', message);
    else if (members && isObject(value)) reportKnown(value, members, at, report);
  }
}

function hasGoodKnown(object: FreeObject, known: KnownMembers): boolean {
  for (const key in known) {
    if (!Object.hasOwn(object, key)) continue;
    const { is, members } = known[key] as KnownMember;
    const value = object[key];
    if (!is(value) || (members && isObject(value) && !hasGoodKnown(value, members))) return false;
  }
  return true;
}

function openapiOf(known: KnownMembers): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(known).map(([key, { openapi }]) => [key, openapi]));
}

/** A known member that is itself a free-form object with known members. */
export function knownObject(description: string, members: KnownMembers): KnownMember {
  const openapi = { type: 'object', description, properties: openapiOf(members) };
  return { is: isObject, message: wording.object, openapi, members };
}

/** A free-form object. `known` contains the members that have a meaning, whose types are checked. */
export function freeObject(description: string, known: KnownMembers = {}) {
  const hasKnown = Object.keys(known).length > 0;
  const schema = z.unknown().superRefine((value, ctx) => {
    const report: Report = (path, code, message) => {
      if (ctx.issues.length >= faultsMax) return;
      ctx.addIssue({ code: 'custom', path: [...path], message, params: { code } });
    };
    if (!isObject(value)) {
      report([], 'invalid_type', wording.object);
      return;
    }
    if (hasKnown) reportKnown(value, known, [], report);
    if (!hasOnlyFiniteNumbers(value)) reportNonFinite(value, [], report);
  });
  const described = schema.meta({
    type: 'object',
    description,
    ...(hasKnown && { properties: openapiOf(known) }),
    additionalProperties: true,
  }) as unknown as z.ZodType<FreeObject, FreeObject>;
  const accepts = (value: unknown) => isObject(value) && hasGoodKnown(value, known) && isPlainValue(value);
  return withQuick(described, { accepts });
}

/**
 * Beyond this limit a double cannot represent every integer, so the stored number could differ from the posted number.
 */
const magnitudeMax = Number.MAX_SAFE_INTEGER;
const range = { minimum: -magnitudeMax, maximum: magnitudeMax };
const outOfRange = `must be from ${range.minimum} to ${range.maximum}`;
const isInRange = (value: number) => value <= magnitudeMax && value >= -magnitudeMax;

/** Uses one check instead of two (`min` and `max`) for speed, because a receipt has dozens of amounts. */
export const amount = z
  .number()
  .refine(isInRange, { error: outOfRange, params: { code: 'out_of_range' } })
  .meta(range);

const mustBeInteger = 'must be an integer';
/**
 * Not `z.int()`, whose fault would keep zod from running the other checks of the object around it, such as that of an
 * item's translations, which would then be reported as unknown.
 */
export const wholeNumber = z
  .number({ error: mustBeInteger })
  .refine(Number.isInteger, { error: mustBeInteger, params: { code: 'invalid_type' } })
  .min(-magnitudeMax)
  .max(magnitudeMax)
  .meta({ type: 'integer' });

/** A longer text, such as a name or a reason. */
export const text = characters(0, 10_000);
/**
 * A short text, such as a unit or the type of a card. It may be empty, because tills send empty strings for missing
 * values.
 */
export const shortText = characters(0, keyLengthMax);
/** ISO 8601 date and time with an optional offset. */
export const dateTime = z
  .string()
  .refine((value) => readDateTime(value) !== undefined, {
    message: wording.dateTime,
    params: { code: 'invalid_format' },
  })
  .meta({ examples: ['2024-05-17T14:03:22+02:00', '2024-05-17T14:03:22'] });

export const uuidV4Pattern =
  /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$/;
export const uuidV4 = z.string().regex(uuidV4Pattern, wording.uuidV4);
