import { hasOnlyFiniteNumbers, wording } from '@receipts/kernel';
import { z } from 'zod';
import { isCountryCode } from './country-codes';
import { currencyCodes, isCurrencyCode } from './currency-codes';
import { canonicalLanguageTag } from './language-tag';
import { commaSeparatedList, text } from './query-parameters';
import { isTimeZone } from './time-zones';

const code = (isKnown: (text: string) => boolean, what: string) =>
  z.string().refine(isKnown, { error: `must be ${what}`, params: { code: 'invalid_value' } });

export const countryField = code(isCountryCode, 'an ISO 3166-1 or ISO 3166-3 alpha-3 country code').meta({
  examples: ['FRA'],
});
export const currencyField = code(isCurrencyCode, 'an ISO 4217 alpha-3 currency code').meta({
  enum: currencyCodes,
  examples: ['EUR'],
});
export const timeZoneField = code(isTimeZone, 'an IANA time zone name').meta({ examples: ['Europe/Paris'] });

/**
 * `en_GB`, `de`, `zh_Hant_TW`. The hyphens of BCP 47 are also accepted. Renderings fall back to another locale if they
 * do not support one.
 */
export const localeField = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,8}([_-][A-Za-z0-9]{1,8})*$/, { error: 'must be a locale, such as en_GB' });

/** A locale of settings, which are stored in one form: `EN-gb` as `en_GB`. */
export const canonicalLocaleField = localeField.overwrite(
  (locale) => canonicalLanguageTag(locale)?.replaceAll('-', '_') ?? locale,
);

/** Any JSON value, stored unchanged. Numbers that exceed the range of a double (`1e400`) are rejected. */
export const anyJsonField = z.unknown().refine(hasOnlyFiniteNumbers, {
  error: wording.onlyFinite,
  params: { code: 'not_finite' },
});

/** Every endpoint with a JSON body and a query parameter `pretty` also accepts `pretty` as a member of the body. */
export const prettyMember = z
  .boolean()
  .optional()
  .describe('Whether the response is indented for readability. Defaults to `false`.');

/** ISO 8601 in UTC, with the offset `+00:00`. */
export const timestampField = z.string().meta({ format: 'date-time' });

/** A link in a response. */
export const link = z.object({
  href: z.string().describe('The path of the page, relative to the base URL.'),
});

/** The link of a list to its next page, relative to the base URL. */
export const listLinks = z
  .object({ next: link.optional().describe('The next page; absent on the last page.') })
  .describe('Links to other pages of the list.');

/** The required entity tag of a write, such as `"3"`. If it differs from the current tag, the response is 412. */
export const ifMatchHeaders = z.object({
  'if-match': z
    .string()
    .max(1024)
    .optional()
    .meta({
      description:
        'The `ETag` of the version to change. If the resource has changed since, the response is 412 and nothing is changed.',
      examples: ['"3"'],
    }),
});

/** The consumers to whom a read is restricted. */
export const consumerParameter = commaSeparatedList({
  max: 5,
  description: 'Restricts the request to the consumer with these identifiers, separated by commas.',
  example: 'jane@example.com',
}).optional();

/** The queue of a dead letter. */
export const queueParameter = text({
  max: 255,
  description: 'The queue in which the message failed.',
  example: 'ingest.commands',
});
