import { z } from 'zod';

/**
 * A part of the settings. All defaults are in the schema, so that parsing always completes a missing or incomplete
 * part.
 */
export const part = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape).prefault({} as never);
