import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { escapeHtml } from '@receipts/contracts';
import type { ErrorPage } from '@receipts/kernel';

const style =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem}' +
  'small{opacity:.7}';
const styleHash = createHash('sha256').update(style).digest('base64');

interface PlainPage {
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly title: string;
  /** HTML. */
  readonly content?: string;
}

/** A page without any brand. */
export function plainPage({ language, direction, title, content = '' }: PlainPage): ErrorPage {
  const heading = escapeHtml(title);
  return {
    html:
      `<!doctype html><html lang="${language}" dir="${direction}"><head><meta charset="utf-8">` +
      '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">' +
      `<title>${heading}</title><style>${style}</style></head><body><main><h1>${heading}</h1>${content}</main></body></html>`,
    language,
    contentSecurityPolicy: `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

/** An error as an HTML page, for a person who followed a link. It has the same content as the error body. */
export function refusalPage(status: number, description: string, requestId: string): ErrorPage {
  const content = `<p>${escapeHtml(description)}</p><p><small>${status} · ${escapeHtml(requestId)}</small></p>`;
  return plainPage({ language: 'en', direction: 'ltr', title: STATUS_CODES[status] ?? 'Error', content });
}
