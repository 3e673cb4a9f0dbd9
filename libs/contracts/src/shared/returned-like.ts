import { z } from 'zod';

/** The description of a member, on its schema or on a schema that it wraps. */
function descriptionOf(schema: z.ZodType | undefined): string | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return schema.description ?? descriptionOf(schema.unwrap() as z.ZodType);
  }
  return schema?.description;
}

/**
 * The returned form of a posted object. Its members have the descriptions of the posted members, unless they have their
 * own, so that the meaning of a field is stated once.
 */
export function returnedLike<S extends Readonly<Record<string, z.ZodType>>>(
  posted: z.ZodObject,
  shape: S,
): z.ZodObject<S> {
  const members = Object.entries(shape).map(([name, member]) => {
    const description = descriptionOf(member) ?? descriptionOf(posted.shape[name] as z.ZodType | undefined);
    return [name, description === undefined ? member : member.describe(description)];
  });
  return z.object(Object.fromEntries(members) as S);
}
