import { z } from 'zod';
import { characters } from '../shared/characters';
import { canonicalLanguageTag } from '../shared/language-tag';
import { wording } from '@receipts/kernel';
import { part } from './settings-part';

/** Only http and https: the addresses are used as links in pages and e-mails. */
const webAddress = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s<>"']+$/, { error: 'must be an http or https address' });

const brandHeader = characters(0, 2000)
  .nullable()
  .default(null)
  .describe('Text shown above the items of a receipt.');
const brandFooter = characters(0, 2000)
  .nullable()
  .default(null)
  .describe('Text shown at the end of a receipt.');
const brandLinks = z
  .array(
    z.strictObject({
      name: characters(1, 100).describe('The text of the link.'),
      href: webAddress.describe('The URL that the link opens.'),
    }),
  )
  .max(20);

const translationsMax = 50;

const brandTranslation = z.strictObject({
  header: brandHeader,
  footer: brandFooter,
  links: brandLinks
    .nullable()
    .default(null)
    .describe('Links at the end of receipts; `null` uses those of `brand`.'),
});

const languageTag = z
  .string()
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$/)
  .refine((tag) => canonicalLanguageTag(tag) !== undefined, {
    error: 'must be a language tag, such as pt-BR',
    params: { code: 'invalid_value' },
  });

/** Renames each language to its canonical form, unless two of them denote the same language. */
export function inCanonicalLanguages<T>(byLanguage: Readonly<Record<string, T>>): Record<string, T> {
  const renamed = Object.entries(byLanguage).map(
    ([tag, texts]) => [canonicalLanguageTag(tag) ?? tag, texts] as const,
  );
  const isUnique = new Set(renamed.map(([tag]) => tag)).size === renamed.length;
  return isUnique ? Object.fromEntries(renamed) : { ...byLanguage };
}

export const brandSettings = part({
  name: characters(1, 100)
    .nullable()
    .default(null)
    .describe('The name at the top of receipts; `null` shows the name of the retailer.'),
  logo: webAddress
    .nullable()
    .default(null)
    .describe(
      'The URL of the image at the top of receipts. E-mails and PDFs contain it if it is a PNG or JPEG of at most 256 KiB; a PNG may have 300,000 pixels, a JPEG 4,000,000.',
    ),
  colour: z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/)
    .nullable()
    .default(null)
    .describe('The accent colour of receipts, such as `#00aa66`.'),
  header: brandHeader,
  footer: brandFooter,
  links: brandLinks.default([]).describe('Links at the end of receipts.'),
  translations: z
    .record(languageTag, brandTranslation)
    .overwrite(inCanonicalLanguages)
    .superRefine((all, context) => {
      for (const tag of Object.keys(all))
        if (canonicalLanguageTag(tag) !== tag)
          context.addIssue({
            code: 'custom',
            path: [tag],
            message: wording.repeated,
            params: { code: 'repeated' },
          });
    })
    .refine((all) => Object.keys(all).length <= translationsMax, {
      error: `must not have more than ${translationsMax} languages`,
      params: { code: 'too_big' },
    })
    .default({})
    .describe(
      'The texts and links for readers of other languages, by language tag, such as `fr` or `pt-BR`. The case of a tag has no meaning. A text that is `null` is taken from `brand`.',
    ),
});
