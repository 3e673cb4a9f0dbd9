import { passNotAvailable } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import type { Endpoint } from '../../endpoint';
import { rendered } from '../in-parts';
import type { FindLogo } from '../images/logo';
import { fileName } from '../pdf/pdf';
import { viewInParts } from '../view/view';
import { applePass } from '../wallet/apple-pass';
import type { Wallets } from '../wallet/wallets';
import { openLink, type LinkParts } from './open-link';

export interface ShowReceiptPassParts extends LinkParts {
  readonly findLogo: FindLogo;
  readonly wallets: Wallets;
}

/** Returns a receipt as a pass for Apple Wallet. */
export function showReceiptPass(parts: ShowReceiptPassParts): Endpoint<'showReceiptPass'> {
  return async ({ params, query, headers }, call) => {
    const { receipt, retailer, links } = await openLink(params.token, call, parts);
    const { apple } = parts.wallets;
    if (!apple) throw new ServiceError(passNotAvailable);
    const reader = { lang: query.lang, acceptLanguage: headers['accept-language'] };
    const view = await rendered(viewInParts(receipt, retailer.settings, reader));
    const logo = await parts.findLogo(view.brand.logo);
    const body = applePass(view, { id: receipt.id, page: links.webview.href, logo }, apple, parts.now());
    const filename = fileName(receipt.transaction_id, 'pkpass');
    return { body, meta: { contentType: 'application/vnd.apple.pkpass', filename } };
  };
}
