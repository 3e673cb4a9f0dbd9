import { characters } from './characters';

/** The maximum length of texts that are indexed as a whole. */
export const keyLengthMax = 255;

/**
 * A unique name. Lone surrogates are rejected because names that differ only in them would be equal in UTF-8, and NUL
 * because it cannot be part of a path or query.
 */
export const nameText = (lengthMax: number) =>
  characters(1, lengthMax)
    .refine((value) => value.isWellFormed() && !value.includes('\0'), {
      message: 'must not have lone surrogates or a NUL',
      params: { code: 'invalid_format' },
    })
    .meta({ maxLength: lengthMax });
export const keyText = nameText(keyLengthMax);
