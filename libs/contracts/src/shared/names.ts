import { characters } from './characters';

/** What is found by its whole text: indexed, hence shorter. */
export const keyLengthMax = 255;

/**
 * A name of which there is one. Those that differ only in lone surrogates would be one name in UTF-8, as it is kept; one
 * with a NUL could be asked for by no path and no query.
 */
export const nameText = (lengthMax: number) =>
  characters(1, lengthMax)
    .refine((value) => value.isWellFormed() && !value.includes('\0'), {
      message: 'must not have lone surrogates or a NUL',
      params: { code: 'invalid_format' },
    })
    .meta({ maxLength: lengthMax });
export const keyText = nameText(keyLengthMax);
