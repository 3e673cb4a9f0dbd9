import { z } from 'zod';
import { csrf } from './browser-pages';

const given = (description: string) => z.string().describe(description);
const ofEachLanguage = (description: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe(`${description}, in the order of \`language\`.`);

/** The fields of the form with which a retailer's staff change how receipts look. */
export const brandForm = z.object({
  csrf,
  action: z
    .enum(['run', 'save', 'remove_logo'])
    .describe('Whether to preview the brand, to save it, or to save it without a logo.'),
  name: given('The name at the top of receipts; empty for the name of the retailer.'),
  logo: given('The URL of the logo; empty for none.'),
  colour: given('The accent colour; empty for the default.'),
  header: given('The text above the items.'),
  footer: given('The text at the end.'),
  links: given('The links at the end, one per line: the text, then the URL.'),
  language: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('The tags of the languages with texts of their own. Without any, these texts are kept.'),
  translated_header: ofEachLanguage('The texts above the items'),
  translated_footer: ofEachLanguage('The texts at the end'),
  translated_links: ofEachLanguage('The links at the end'),
});
