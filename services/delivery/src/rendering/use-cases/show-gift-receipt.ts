import {
  giftNotFound,
  linkNotFound,
  linksTo,
  receiptStoreContracts,
  type GiftReceipt,
  type LinkTokens,
  type ReceiptLinks,
  type Retailer,
} from '@receipts/contracts';
import { delegatedCall, ServiceError, type Call } from '@receipts/kernel';
import type { HandlerOf } from '../../handler-of';
import type { FindLogo } from '../images/logo';
import { qrPng, qrSvg } from '../images/qr';
import { rendered } from '../in-steps';
import { localeOf } from '../labels/locale';
import { giftPageInSteps } from '../page/gift-page';
import { giftPdf } from '../pdf/gift-pdf';
import { giftViewInSteps } from '../view/gift-view';
import type { LinkDependencies } from './open-link';
import type { PdfRenderer } from './pdf-renderer';

export interface GiftDependencies extends Pick<LinkDependencies, 'ask' | 'retailer' | 'now' | 'publicUrl'> {
  readonly giftTokens: LinkTokens;
  readonly findLogo: FindLogo;
  readonly pdfs: PdfRenderer;
}

interface OpenedGift {
  readonly gift: GiftReceipt;
  readonly retailer: Retailer;
  readonly links: ReceiptLinks;
}

/** @throws ServiceError 404 `link_not_found`, 410 `gift_ended` */
async function openGift(token: string, call: Call, deps: GiftDependencies): Promise<OpenedGift> {
  const linked = deps.giftTokens.open(token);
  if (!linked) throw new ServiceError(linkNotFound);
  const { receiptId: receipt_id, generation: version } = linked;
  const ofRetailer = { ...call, retailer: linked.retailer };
  const inner = delegatedCall('delivery', ofRetailer, deps.now().getTime());
  const find = async () => {
    try {
      const input = { body: { receipt_id, version } };
      return (await deps.ask(receiptStoreContracts.findGiftReceipt, input, inner)).body;
    } catch (error) {
      const isMissing = error instanceof ServiceError && error.code === giftNotFound.code;
      throw isMissing ? new ServiceError(linkNotFound) : error;
    }
  };
  const [gift, retailer] = await Promise.all([find(), deps.retailer(linked.retailer, ofRetailer)]);
  return { gift, retailer, links: linksTo(deps.publicUrl, token, 'gift') };
}

/** Returns the page of a gift receipt in the reader's language. */
export function showGiftReceipt(deps: GiftDependencies): HandlerOf<'showGiftReceipt'> {
  return async ({ params, query: { lang }, headers }, call) => {
    const { gift, retailer, links } = await openGift(params.token, call, deps);
    const reader = { lang, acceptLanguage: headers['accept-language'] };
    const view = await rendered(giftViewInSteps(gift, retailer.settings, reader));
    const page = await rendered(giftPageInSteps(view, { pdf: links.pdf.href, lang }));
    const { html, contentSecurityPolicy } = page;
    const meta = { contentType: 'text/html; charset=utf-8', language: view.locale, contentSecurityPolicy };
    return { body: Buffer.from(html), meta };
  };
}

/** Returns the PDF of a gift receipt. */
export function showGiftReceiptPdf(deps: GiftDependencies): HandlerOf<'showGiftReceiptPdf'> {
  return async ({ params, query: { lang, format }, headers }, call) => {
    const { gift, retailer } = await openGift(params.token, call, deps);
    const { settings } = retailer;
    const reader = { lang, acceptLanguage: headers['accept-language'] };
    const locale = localeOf(gift, reader, settings.locale);
    const key = ['gift', params.token, retailer.version, locale, format].join('|');
    const request = { key, retailer: retailer.id, items: gift.items.length };
    const body = await deps.pdfs.render(request, call, async (signal) => {
      const view = await rendered(giftViewInSteps(gift, settings, reader), signal);
      const logo = await deps.findLogo(view.brand.logo);
      const content = await giftPdf(view, format, { signal, logo });
      return { content, isFinal: logo !== undefined || view.brand.logo === null };
    });
    return { body, meta: { contentType: 'application/pdf' } };
  };
}

/** Returns the QR code of a gift receipt's page. */
export function showGiftReceiptQr(deps: GiftDependencies): HandlerOf<'showGiftReceiptQr'> {
  return async ({ params, headers: { accept } }, call) => {
    const { href } = (await openGift(params.token, call, deps)).links.webview;
    const body = accept === 'image/png' ? await qrPng(href) : Buffer.from(await qrSvg(href));
    return { body, meta: { contentType: accept } };
  };
}
