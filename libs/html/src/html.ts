import { escapeHtml } from './escape-html';

/** Markup. All other values in a template are escaped. */
export class Html {
  constructor(readonly text: string) {}
}

export type HtmlPart = Html | string | number | false | null | undefined | readonly HtmlPart[];

/**
 * Characters that can disguise text: control characters, and overrides of the writing direction. Direction marks remain:
 * `Intl` writes them into amounts and dates of languages that are written from right to left.
 */
// oxlint-disable-next-line no-control-regex
const misleading = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
/** Most texts contain none of these characters, and one search is cheaper than two replacements. */
// oxlint-disable-next-line no-control-regex
const special = /[&<>"'\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function written(part: HtmlPart): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'string') return special.test(part) ? escapeHtml(part.replace(misleading, '')) : part;
  if (part === false || part === null || part === undefined) return '';
  if (typeof part === 'number') return String(part);
  let text = '';
  for (const one of part) text += written(one);
  return text;
}

const bare = new WeakMap<TemplateStringsArray, readonly string[]>();

/** The literal parts of a template without the indentation of the source, which would be a tenth of a page. */
function literalsOf(strings: TemplateStringsArray): readonly string[] {
  const known = bare.get(strings);
  if (known) return known;
  const literals = strings.map((text) => text.replace(/\n\s+/g, '\n'));
  bare.set(strings, literals);
  return literals;
}

/** Markup with values. Values are escaped unless they are markup; undefined values are omitted. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  const literals = literalsOf(strings);
  let text = literals[0] ?? '';
  for (let i = 0; i < parts.length; i++) text += written(parts[i]) + (literals[i + 1] ?? '');
  return new Html(text);
}

/** Markup between other parts. */
export function joined(parts: readonly HtmlPart[], separator: string): Html {
  return new Html(parts.map(written).join(escapeHtml(separator)));
}
