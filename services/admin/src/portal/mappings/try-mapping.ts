import {
  deliveryContracts,
  receiptStoreContracts,
  transformContracts,
  type FailingReceipt,
  type PostedMapping,
  type PostedReceipt,
} from '@receipts/contracts';
import { ServiceError, type Call } from '@receipts/kernel';
import type { Answer } from '@receipts/messaging';
import type { Portal } from '../open-portal';
import type { SignedIn } from '../signed-in';
import { compose, type Draft, type Fault, type Slip } from './draft';

type DryRun = Answer<typeof transformContracts.dryRunMapping>['body'];
type Listing = Answer<typeof transformContracts.inspectSlip>['body'];
type RenderedPage = Answer<typeof deliveryContracts.renderReceipt>['body'];

/** The result for a slip. */
export interface Trial {
  readonly faults: readonly Fault[];
  readonly run?: DryRun | undefined;
  readonly listing: Listing;
  /** The first receipt as it would be stored and shown. */
  readonly preview?: { readonly currency: string; readonly checks: FailingReceipt['checks'] } | undefined;
  readonly page: RenderedPage;
}

/** A placeholder receipt whose page has the same policy as all pages of the retailer. */
const blank: PostedReceipt = {
  transaction_id: '0',
  localtime: '2026-01-01T00:00:00',
  store_reference: '0',
  total: 0,
  items: [{ name: ' ', quantity: 1, total: 0 }],
};

/** The slip as an input of a dry run. */
export const inputOf = ({ bytes, contentType, packet }: Slip) => ({
  input_base64: bytes.toString('base64'),
  ...(contentType !== '' && { content_type: contentType }),
  ...(packet && { metadata: packet.metadata, properties: packet.properties }),
});

export async function dryRun(
  { ask }: Portal,
  mapping: PostedMapping,
  slip: Slip,
  call: Call,
): Promise<DryRun> {
  return (await ask(transformContracts.dryRunMapping, { body: { mapping, ...inputOf(slip) } }, call)).body;
}

async function shown({ ask }: Portal, receipt: PostedReceipt, call: Call) {
  const stored = (await ask(receiptStoreContracts.previewReceipt, { body: { receipt } }, call)).body;
  const page = (await ask(deliveryContracts.renderReceipt, { body: { receipt: stored.receipt } }, call)).body;
  return { page, preview: { currency: stored.receipt.l10n.currency, checks: stored.checks } };
}

/** Runs a mapping on a slip. Errors of the mapping are part of the result. */
export async function tryMapping(deps: Portal, { call }: SignedIn, draft: Draft, slip: Slip): Promise<Trial> {
  const { document, faults } = compose(draft, [], draft.id || 'new');
  const listed = deps.ask(
    transformContracts.inspectSlip,
    { body: { input_base64: inputOf(slip).input_base64 } },
    call,
  );
  const tried =
    document && slip.bytes.length > 0 ? await refusable(dryRun(deps, document, slip, call)) : undefined;
  const run = Array.isArray(tried) ? undefined : tried;
  const all = [...faults, ...(Array.isArray(tried) ? tried : (tried?.errors ?? []))];
  const [first] = run?.receipts ?? [];
  const isValid = first !== undefined && !all.some(({ path }) => path.startsWith('/0'));
  const [{ page, preview }, listing] = await Promise.all([
    shown(deps, isValid ? (first as PostedReceipt) : blank, call),
    listed,
  ]);
  return { faults: all, run, listing: listing.body, page, preview: isValid ? preview : undefined };
}

/** The faults in a rejected mapping. */
async function refusable<T>(answer: Promise<T>): Promise<T | Fault[]> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    return [...(error.errors ?? [{ path: '', message: error.description }])];
  }
}
