import { createHash } from 'node:crypto';
import { html } from '@receipts/html';
import type { HandlerOf } from '../../handler-of';
import { rendered } from '../in-steps';
import { labelsOf } from '../labels/labels';
import { labelLocale, type Reader } from '../labels/locale';
import { simplePage } from '../page/html-page';
import { pageInSteps } from '../page/page';
import { plainTextInSteps } from '../mail/plain-text';
import { qrSvg } from '../images/qr';
import { brandOf, viewInSteps, type ReceiptView } from '../view/view';
import type { ViewRecorder } from '../view-recorder';
import { googlePassLink } from '../wallet/google-pass';
import type { Wallets } from '../wallet/wallets';
import { openLinkOrWait, type LinkDependencies, type Opened, type Waiting } from './open-link';

const tagCharacters = 27;
/** A receipt usually arrives within seconds. Offline tills take longer, but the page is cheap to render. */
const refreshSeconds = 5;
const nothingInside = "default-src 'none'";

/** True for a list of tags that contains this tag, weak or not (RFC 9110, 13.1.2). */
function names(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

const chosenLanguage = /^[A-Za-z0-9-]{1,35}$/;

/** The language that the reader has chosen on an earlier page. */
const keptLanguage = (cookies = '') =>
  /(?:^|;\s*)receipt-language=([A-Za-z0-9-]{1,35})(?:;|$)/.exec(cookies)?.[1];

type Rendition = { readonly text: string; readonly contentSecurityPolicy: string; readonly locale?: string };

function statusOf({ receipt }: Opened | Waiting): Rendition {
  const text = JSON.stringify({ status: receipt ? 'ready' : 'waiting' });
  return { text, contentSecurityPolicy: nothingInside };
}

/** The links that save a receipt in the wallet apps that the operator has set up. */
function walletLinks(
  { receipt, links }: Opened,
  view: ReceiptView,
  { apple, google }: Wallets,
  { lang }: Reader,
): Readonly<Record<string, string>> {
  const page = links.webview.href;
  const query = lang === undefined ? '' : `?lang=${encodeURIComponent(lang)}`;
  return {
    ...(apple && { 'Apple Wallet': `${page}/pass${query}` }),
    ...(google && { 'Google Wallet': googlePassLink(view, { ...receipt, page }, google) }),
  };
}

async function receiptIn(type: string, opened: Opened, reader: Reader, wallets: Wallets): Promise<Rendition> {
  const { receipt, retailer, links } = opened;
  const view = await rendered(viewInSteps(receipt, retailer.settings, reader));
  const { locale } = view;
  if (type === 'text/plain') {
    const text = await rendered(plainTextInSteps(view));
    return { text, contentSecurityPolicy: nothingInside, locale };
  }
  const qr = await qrSvg(links.webview.href);
  const page = await rendered(
    pageInSteps(view, receipt, {
      page: links.webview.href,
      pdf: links.pdf.href,
      proof: `${links.webview.href}/proof`,
      lang: reader.lang,
      wallets: walletLinks(opened, view, wallets, reader),
      qrSvg: qr,
    }),
  );
  return { text: page.html, contentSecurityPolicy: page.contentSecurityPolicy, locale };
}

/** Tells the reader that the receipt of a reserved link is on its way. The page refreshes itself without a script. */
function waitingIn(type: string, { retailer }: Waiting, reader: Reader): Rendition {
  const locale = labelLocale(reader, retailer.settings.locale);
  const { onItsWay, onItsWayHint } = labelsOf(locale);
  if (type === 'text/plain') {
    return { text: `${onItsWay} ${onItsWayHint}\n`, contentSecurityPolicy: nothingInside, locale };
  }
  const page = simplePage({
    locale,
    brand: brandOf(retailer.settings, retailer.name, locale),
    title: onItsWay,
    head: html`<meta http-equiv="refresh" content="${refreshSeconds}" />`,
    content: html`<h2 role="status">${onItsWay}</h2>
      <p>${onItsWayHint}</p>`,
  });
  return { text: page.html, contentSecurityPolicy: page.contentSecurityPolicy, locale };
}

/**
 * Returns the page of a receipt, or its text, in the reader's language; before the receipt exists, returns a page that
 * waits.
 */
export function showReceipt(
  deps: LinkDependencies & { readonly viewRecorder: Pick<ViewRecorder, 'note'>; readonly wallets: Wallets },
): HandlerOf<'showReceipt'> {
  return async ({ params, query, headers }, call) => {
    const opened = await openLinkOrWait(params.token, call, deps);
    const lang = query.lang ?? keptLanguage(headers.cookie);
    const reader = { lang, acceptLanguage: headers['accept-language'] };
    const type = query.format === 'json' ? 'application/json' : headers.accept;
    const isStatus = type === 'application/json';
    if (opened.receipt && !isStatus) {
      const { receipt, retailer } = opened;
      deps.viewRecorder.note({ retailer: retailer.id, receipt, headers }, call);
    }
    const shown = isStatus
      ? statusOf(opened)
      : opened.receipt
        ? await receiptIn(type, opened, reader, deps.wallets)
        : waitingIn(type, opened, reader);
    const { text, locale, contentSecurityPolicy } = shown;
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, tagCharacters)}"`;
    const isUnchanged = names(headers['if-none-match'], etag);
    return {
      body: Buffer.from(isUnchanged ? '' : text),
      meta: {
        contentType: isStatus ? type : `${type}; charset=utf-8`,
        etag,
        isUnchanged,
        ...(locale !== undefined && { language: locale }),
        ...(query.lang !== undefined && chosenLanguage.test(query.lang) && { chosen: query.lang }),
        contentSecurityPolicy,
      },
    };
  };
}
