import type { AllottedLinks, LinkTokens } from '@receipts/contracts';
import type { IdAllotter } from '@receipts/kernel';
import type { Vocabulary } from '@receipts/search';
import type { CursorCodec } from '../domain/cursor';
import type { ChangedReceipts } from '../storage/changed-receipts';
import type { RetailerDirectory, StoreDirectory } from '../storage/directories';
import type { ReceiptChanges } from '../storage/receipt-changes';
import type { ReceiptDeletion } from '../storage/receipt-deletion';
import type { ReceiptSearch } from '../storage/receipt-search';
import type { Receipts } from '../storage/receipts';
import type { RelatedReceipts } from '../storage/related-receipts';
import type { SearchDocuments } from '../storage/search-documents';
import type { Totals } from '../storage/totals';
import type { AnsweredLinks } from './answered-links';
import type { FindRetailer } from './find-retailer';
import type { HasArrived } from './pending-receipt';
import type { StoreReceipts } from './store-receipts';

/** The dependencies of the handlers. */
export interface Parts {
  readonly changed: ChangedReceipts;
  readonly changes: ReceiptChanges;
  readonly cursors: CursorCodec;
  readonly deletion: ReceiptDeletion;
  readonly documents: SearchDocuments;
  readonly findRetailer: FindRetailer;
  readonly hasArrived: HasArrived;
  readonly ids: IdAllotter;
  readonly links: AllottedLinks;
  readonly linksOf: AnsweredLinks;
  readonly now: () => Date;
  /** The public URL of the platform, without a trailing slash. */
  readonly publicUrl: string;
  readonly receipts: Receipts;
  readonly related: RelatedReceipts;
  readonly retailers: RetailerDirectory;
  readonly search: ReceiptSearch;
  readonly stores: StoreDirectory;
  readonly storing: Pick<StoreReceipts, 'store' | 'stores'>;
  readonly tokens: LinkTokens;
  readonly totals: Totals;
  readonly vocabulary: Vocabulary;
}
