import { brandSettings, type adminContracts, type RetailerSettings } from '@receipts/contracts';
import type { Input } from '@receipts/kernel';
import { checked } from '../form';

export type Brand = RetailerSettings['brand'];

/** The brand as shown in its form. */
export type BrandDraft = Omit<Input<(typeof adminContracts)['portalBrandForm']>['body'], 'csrf' | 'action'>;

export const draftOf = ({ name, logo, colour, header, footer, links }: Brand): BrandDraft => ({
  name: name ?? '',
  logo: logo ?? '',
  colour: colour ?? '',
  header: header ?? '',
  footer: footer ?? '',
  links: links.map((link) => `${link.name} ${link.href}`).join('\n'),
});

/** `Terms of sale https://shop.example/terms`: the URL is the last word. */
function linkOf(line: string) {
  const [, name = '', href = ''] = /^(.*?)\s*(\S+)$/.exec(line) ?? [];
  return { name: name || href, href };
}

/**
 * @returns the settings in the form; the rest of the brand is not changed
 * @throws ServiceError 422 with an error for each invalid field
 */
export function changesOf(draft: BrandDraft): Omit<Brand, 'translations'> {
  const said = (text: string) => text.replaceAll('\r\n', '\n').trim() || null;
  const lines = draft.links.split('\n').map((line) => line.trim());
  const { translations: _, ...changes } = checked(brandSettings, {
    name: said(draft.name),
    logo: said(draft.logo),
    colour: said(draft.colour),
    header: said(draft.header),
    footer: said(draft.footer),
    links: lines.filter((line) => line !== '').map(linkOf),
  });
  return changes;
}
