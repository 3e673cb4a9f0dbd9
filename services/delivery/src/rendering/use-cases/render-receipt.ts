import type { Endpoint } from '../../endpoint';
import { rendered } from '../in-parts';
import { pageInParts } from '../page';
import { viewInParts } from '../view';
import type { LinkParts } from './open-link';

/** Renders the page of a receipt, in the receipt's own language. */
export function renderReceipt({ retailer }: Pick<LinkParts, 'retailer'>): Endpoint<'renderReceipt'> {
  return async ({ body: { receipt } }, call) => {
    const { settings } = await retailer(call.retailer, call);
    const view = await rendered(viewInParts(receipt, settings, {}));
    const { html, contentSecurityPolicy } = await rendered(pageInParts(view, receipt));
    return { body: { html, contentSecurityPolicy } };
  };
}
