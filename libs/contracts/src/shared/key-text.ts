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

/** Paths such as `/identifiers/_search` are routes, so a consumer with such a name could not be addressed. */
export const isRouteName = (name: string): boolean => name.startsWith('_');
export const routeNameFault = { code: 'invalid_format', message: 'must not begin with "_"' } as const;

/** The name of a consumer. */
export const identifierText = keyText
  .refine((value) => !isRouteName(value), {
    error: routeNameFault.message,
    params: { code: routeNameFault.code },
  })
  .meta({ maxLength: keyLengthMax });
