import { brandForm, brandSettings, readFormData, type RetailerSettings } from '@receipts/contracts';
import { schemaValidationFailed, ServiceError, wording } from '@receipts/kernel';
import type { z } from 'zod';
import { checked } from '../form';

export type Brand = RetailerSettings['brand'];

/** The brand as its form sends it. */
export type BrandDraft = Omit<z.output<typeof brandForm>, 'csrf' | 'action'>;

/** The texts for readers of a language, as shown in the form. */
export interface TranslationDraft {
  /** A language tag; empty for a language that is not chosen yet. */
  readonly language: string;
  readonly header: string;
  readonly footer: string;
  readonly links: string;
}

const textOfLinks = (links: Brand['links'] | null) =>
  (links ?? []).map((link) => `${link.name} ${link.href}`).join('\n');

/**
 * Reads the form.
 * @returns its fields, and the file if one was chosen
 * @throws ServiceError 400 `malformed_body`, or 422 if a field is missing
 */
export async function readBrandForm(bytes: Buffer, contentType = '') {
  const form = await readFormData(bytes, contentType.split(';')[0]?.trim().toLowerCase() ?? '');
  const fields = [...new Set(form.keys())].flatMap((name) => {
    const texts = form.getAll(name).filter((value) => typeof value === 'string');
    return texts.length === 0 ? [] : [[name, texts.length === 1 ? texts[0] : texts] as const];
  });
  const { csrf, action, ...draft } = checked(brandForm, Object.fromEntries(fields));
  const file = form.get('file');
  // A browser sends an empty file if none was chosen.
  const hasFile = file !== null && typeof file !== 'string' && file.size > 0;
  return { csrf, action, draft, file: hasFile ? Buffer.from(await file.arrayBuffer()) : undefined };
}

export const draftOf = (brand: Brand): BrandDraft => {
  const { name, logo, colour, header, footer, links } = brand;
  const translations = Object.entries(brand.translations);
  return {
    name: name ?? '',
    logo: logo ?? '',
    colour: colour ?? '',
    header: header ?? '',
    footer: footer ?? '',
    links: textOfLinks(links),
    language: translations.map(([language]) => language),
    translated_header: translations.map(([, texts]) => texts.header ?? ''),
    translated_footer: translations.map(([, texts]) => texts.footer ?? ''),
    translated_links: translations.map(([, texts]) => textOfLinks(texts.links)),
  };
};

/** The languages of a draft with their texts. */
export function translationsIn(draft: BrandDraft): readonly TranslationDraft[] {
  const all = (texts: string | readonly string[] = []) => [texts].flat();
  const [headers, footers, links] = [
    draft.translated_header,
    draft.translated_footer,
    draft.translated_links,
  ].map(all);
  return all(draft.language).map((language, index) => ({
    language,
    header: headers?.[index] ?? '',
    footer: footers?.[index] ?? '',
    links: links?.[index] ?? '',
  }));
}

/** `Terms of sale https://shop.example/terms`: the URL is the last word. */
function linkOf(line: string) {
  const at = line.search(/\s\S*$/);
  const href = line.slice(at + 1);
  return { name: at < 0 ? href : line.slice(0, at).trim(), href };
}

const said = (text: string) => text.replaceAll('\r\n', '\n').trim() || null;

function linksIn(text: string) {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').map(linkOf);
}

/**
 * A language without texts is left out.
 * @throws ServiceError 422 if a language occurs twice
 */
function translationsOf(draft: BrandDraft) {
  const entries = translationsIn(draft).flatMap(({ language, header, footer, links }) => {
    const texts = { header: said(header), footer: said(footer), links: said(links) && linksIn(links) };
    return Object.values(texts).every((text) => text === null) ? [] : [[language.trim(), texts] as const];
  });
  const tags = entries.map(([language]) => language.toLowerCase());
  const repeated = entries.find((_entry, at) => tags.indexOf(tags[at] ?? '') < at);
  if (repeated) {
    const fault = { path: `/translations/${repeated[0]}`, code: 'repeated', message: wording.repeated };
    throw new ServiceError(schemaValidationFailed, { errors: [fault] });
  }
  return Object.fromEntries(entries);
}

/**
 * @param saved the brand whose translations are kept if the draft has none
 * @returns the brand in the form
 * @throws ServiceError 422 with an error for each invalid field
 */
export function changesOf(draft: BrandDraft, saved: Brand): Brand {
  return checked(brandSettings, {
    name: said(draft.name),
    logo: said(draft.logo),
    colour: said(draft.colour),
    header: said(draft.header),
    footer: said(draft.footer),
    links: linksIn(draft.links),
    translations: draft.language === undefined ? saved.translations : translationsOf(draft),
  });
}

/** A merge patch that turns one brand into another: languages that are gone are removed. */
export function brandPatch(saved: Brand, changed: Brand) {
  const gone = Object.keys(saved.translations).filter((language) => !(language in changed.translations));
  const removed = Object.fromEntries(gone.map((language) => [language, null]));
  return { ...changed, translations: { ...changed.translations, ...removed } };
}
