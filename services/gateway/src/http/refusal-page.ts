import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { escapeHtml } from '@receipts/contracts';

const style =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem}' +
  'small{opacity:.7}';
const styleHash = createHash('sha256').update(style).digest('base64');

/** An error as an HTML page, for a person who followed a link. It has the same content as the error body. */
export function refusalPage(
  status: number,
  description: string,
  requestId: string,
): { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer } {
  const title = escapeHtml(STATUS_CODES[status] ?? 'Error');
  const html =
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">' +
    `<title>${title}</title><style>${style}</style></head><body><main><h1>${title}</h1>` +
    `<p>${escapeHtml(description)}</p><p><small>${status} · ${escapeHtml(requestId)}</small></p></main></body></html>`;
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'`,
    },
    body: Buffer.from(html),
  };
}
