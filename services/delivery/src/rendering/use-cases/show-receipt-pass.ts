import { passNotAvailable } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import type { HandlerOf } from '../../handler-of';
import { rendered } from '../in-steps';
import type { FindLogo } from '../images/logo';
import { fileName } from '../pdf/pdf';
import { viewInSteps } from '../view/view';
import { applePass } from '../wallet/apple-pass';
import type { Wallets } from '../wallet/wallets';
import { openLink, type LinkDependencies } from './open-link';

export interface ShowReceiptPassDependencies extends LinkDependencies {
  readonly findLogo: FindLogo;
  readonly wallets: Wallets;
}

/** Returns a receipt as a pass for Apple Wallet. */
export function showReceiptPass(deps: ShowReceiptPassDependencies): HandlerOf<'showReceiptPass'> {
  return async ({ params, query, headers }, call) => {
    const { receipt, retailer, links } = await openLink(params.token, call, deps);
    const { apple } = deps.wallets;
    if (!apple) throw new ServiceError(passNotAvailable);
    const reader = { lang: query.lang, acceptLanguage: headers['accept-language'] };
    const view = await rendered(viewInSteps(receipt, retailer.settings, reader));
    const logo = await deps.findLogo(view.brand.logo);
    const body = applePass(view, { id: receipt.id, page: links.webview.href, logo }, apple, deps.now());
    const filename = fileName(receipt.transaction_id, 'pkpass');
    return { body, meta: { contentType: 'application/vnd.apple.pkpass', filename } };
  };
}
