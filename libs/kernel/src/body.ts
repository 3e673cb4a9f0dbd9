import type { z } from 'zod';
import type { ErrorDefinition } from './errors';

/** Which of the gateway's size limits applies to a body; the numbers are in the gateway's settings. */
export type BodyLimit = 'body' | 'attachment' | 'batch';

/**
 * A JSON body. `variants` maps each accepted media type to the schema of its body. The schemas only validate and
 * never transform, because the owner receives the original bytes.
 */
export interface JsonBody<
  V extends Readonly<Record<string, z.ZodType>> = Readonly<Record<string, z.ZodType>>,
> {
  readonly kind: 'json';
  readonly variants: V;
  readonly optional?: boolean;
  /** The error for a body that violates its schema; default 422 `schema_validation_failed`. */
  readonly refusal?: ErrorDefinition;
  /**
   * Returns which part of a parsed body has too many elements (422 `too_many`), before the schema validation. Valid
   * bodies of up to 16 KiB skip this check, because they are too small to exceed a limit.
   */
  readonly tooMany?: (value: unknown) => string | undefined;
}

/** A body that is forwarded unchanged. `types` are the accepted media types; absent means any. */
export interface BytesBody {
  readonly kind: 'bytes';
  readonly limit: BodyLimit;
  readonly types?: readonly string[];
  /**
   * Set if the owner validates a text body itself: the accepted media types, with the schemas for the API description.
   */
  readonly schemas?: Readonly<Record<string, z.ZodType>>;
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

/** The media type of a browser form. */
export const formType = 'application/x-www-form-urlencoded' as const;

/**
 * The body of a browser form. The gateway converts it to an object with a string per field, or a list of strings for a
 * repeated field. The owner receives it as JSON; `contentType` shows the original type if a contract accepts both.
 */
export function form<S extends z.ZodType>(schema: S): JsonBody<{ [formType]: S }> {
  return { kind: 'json', variants: { [formType]: schema } };
}

export function bytes(limit: BodyLimit, types?: readonly string[]): BytesBody {
  return { kind: 'bytes', limit, ...(types && { types }) };
}

/** A UTF-8 text that is forwarded unchanged. The owner validates it; the schemas are for the API description. */
export function checkedByOwner(limit: BodyLimit, schemas: NonNullable<BytesBody['schemas']>): BytesBody {
  return { kind: 'bytes', limit, schemas };
}
