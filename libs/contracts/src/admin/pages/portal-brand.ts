import { z } from 'zod';
import { browserPages, csrf, doneParameter } from './browser-pages';

/** The page on which a retailer's staff change how receipts look. */
const { page, form } = browserPages('Portal', 'the retailer portal');

const given = (description: string) => z.string().describe(description);
const ofEachLanguage = (description: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe(`${description}, in the order of \`language\`.`);

export const portalBrand = page({
  name: 'portal-brand',
  summary: 'how receipts look',
  path: '/portal/brand',
  query: z.object({ done: doneParameter }),
});

export const portalBrandForm = form({
  name: 'portal-brand-form',
  summary: 'preview or change how receipts look',
  path: '/portal/brand',
  body: z.object({
    csrf,
    action: z.enum(['run', 'save']).describe('Whether to preview the brand, or to save it.'),
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
  }),
});
