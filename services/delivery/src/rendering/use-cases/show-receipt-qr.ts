import type { HandlerOf } from '../../handler-of';
import { qrPng, qrSvg } from '../images/qr';
import { openLinkOrWait, type LinkDependencies } from './open-link';

/** Returns the QR code of a receipt's page. */
export function showReceiptQr(deps: LinkDependencies): HandlerOf<'showReceiptQr'> {
  return async ({ params, headers: { accept } }, call) => {
    const { links } = await openLinkOrWait(params.token, call, deps);
    const { href } = links.webview;
    const body = accept === 'image/png' ? await qrPng(href) : Buffer.from(await qrSvg(href));
    return { body, meta: { contentType: accept } };
  };
}
