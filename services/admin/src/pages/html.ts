import { escapeHtml } from '@receipts/contracts';

/** Markup. All other values in a template are escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | false | null | undefined | readonly Part[];

/** Characters that can disguise text: control characters, and overrides of the writing direction. */
// oxlint-disable-next-line no-control-regex
const misleading = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function written(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === false || part === null || part === undefined) return '';
  if (typeof part === 'object') return part.map(written).join('');
  return escapeHtml(String(part).replace(misleading, ''));
}

/** Markup with values. Values are escaped unless they are markup; undefined values are omitted. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, i) => text + written(parts[i])).join(''));
}
