import { giftTokens, linkTokens } from '@receipts/contracts';
import type { ModuleDependencies } from '../module-dependencies';
import type { FindLogo } from './images/logo';
import {
  ReceiptLinkGenerations,
  receiptLinksDeclaration,
  type ReceiptLinkDocument,
} from './storage/receipt-links';
import { ReceiptViews, receiptViewsDeclaration, type ReceiptViewsDocument } from './storage/receipt-views';
import { ViewRecorder } from './view-recorder';

export interface LinkSettings {
  /** Signs the links of receipt pages; must be the same secret as in receipt-store. */
  readonly idSecret: string;
  /** The public URL of the platform, without a trailing slash. */
  readonly publicUrl: string;
}

export interface RenderingSettings extends LinkSettings {
  readonly findLogo: FindLogo;
}

/** The links of receipts, and their targets. */
export async function openRendering(deps: ModuleDependencies & RenderingSettings) {
  const { service, database, idSecret, publicUrl, findLogo, ask, retailer, log, now } = deps;
  const collection = await database.collection<ReceiptViewsDocument>(receiptViewsDeclaration);
  const views = new ReceiptViews(collection, service.relay('sweep views of receipts', { collection }));
  const links = await database.collection<ReceiptLinkDocument>(receiptLinksDeclaration);
  return {
    publicUrl,
    findLogo,
    ask,
    retailer,
    now,
    views,
    tokens: linkTokens(idSecret),
    giftTokens: giftTokens(idSecret),
    unsubscribeTokens: linkTokens(`${idSecret}\nunsubscribe`),
    generations: new ReceiptLinkGenerations(links),
    viewRecorder: new ViewRecorder({ views, log, now }),
  };
}

export type Rendering = Awaited<ReturnType<typeof openRendering>>;
