import { createHash } from 'node:crypto';
import type { Endpoint } from '../../endpoint';
import { rendered } from '../in-parts';
import { pageInParts } from '../page';
import { plainTextInParts } from '../plain-text';
import { qrSvg } from '../qr';
import { viewInParts } from '../view';
import type { ViewRecorder } from '../view-recorder';
import { openLink, type LinkParts } from './open-link';

const tagCharacters = 27;
const nothingInside = "default-src 'none'";

/** True for a list of tags that contains this one, weak or not (RFC 9110, 13.1.2). */
function names(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** Returns the page of a receipt, or its text, in the reader's language. */
export function showReceipt(
  parts: LinkParts & { readonly viewRecorder: Pick<ViewRecorder, 'note'> },
): Endpoint<'showReceipt'> {
  return async ({ params, query, headers }, call) => {
    const { receipt, retailer, links } = await openLink(params.token, call, parts);
    parts.viewRecorder.note({ retailer: retailer.id, receipt, headers }, call);
    const reader = { lang: query.lang, acceptLanguage: headers['accept-language'] };
    const view = await rendered(viewInParts(receipt, retailer.settings, reader));
    const isText = headers.accept === 'text/plain';
    const page = isText
      ? { html: await rendered(plainTextInParts(view)), contentSecurityPolicy: nothingInside }
      : await rendered(
          pageInParts(view, receipt, { pdf: links.pdf.href, qrSvg: await qrSvg(links.webview.href) }),
        );
    const etag = `"${createHash('sha256').update(page.html).digest('base64url').slice(0, tagCharacters)}"`;
    const isUnchanged = names(headers['if-none-match'], etag);
    return {
      body: Buffer.from(isUnchanged ? '' : page.html),
      meta: {
        contentType: `${headers.accept}; charset=utf-8`,
        etag,
        isUnchanged,
        language: view.locale,
        contentSecurityPolicy: page.contentSecurityPolicy,
      },
    };
  };
}
