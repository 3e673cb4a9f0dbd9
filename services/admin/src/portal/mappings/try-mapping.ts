import {
  deliveryContracts,
  receiptStoreContracts,
  transformContracts,
  type ReceiptRow,
  type MappingSample,
  type PostedMapping,
  type PostedReceipt,
} from '@receipts/contracts';
import type { Call, ReceivedReply } from '@receipts/kernel';
import { orUndefined, refusalIn } from '../../pages/refusal';
import type { Portal } from '../open-portal';
import type { SignedIn } from '../signed-in';
import { compose, type Draft, type Fault, type Slip } from './draft';

type DryRun = ReceivedReply<typeof transformContracts.dryRunMapping>['body'];
type Listing = ReceivedReply<typeof transformContracts.inspectSlip>['body'];
type Tests = ReceivedReply<typeof transformContracts.testMapping>['body']['samples'];
type RenderedPage = ReceivedReply<typeof deliveryContracts.renderReceipt>['body'];

/** The result for a slip. */
export interface Trial {
  readonly faults: readonly Fault[];
  readonly run?: DryRun | undefined;
  /** The result of each test; absent if they could not run. */
  readonly tests?: Tests | undefined;
  readonly listing: Listing;
  /** The first receipt as it would be stored and shown. */
  readonly preview?: { readonly currency: string; readonly checks: ReceiptRow['checks'] } | undefined;
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

/** The slip as input to a dry run. */
export const inputOf = ({ bytes, contentType, sent }: Slip) => ({
  input_base64: bytes.toString('base64'),
  ...(contentType !== '' && { content_type: contentType }),
  ...sent,
});

export async function dryRun(
  { ask }: Portal,
  mapping: PostedMapping,
  slip: Slip,
  call: Call,
): Promise<DryRun> {
  const { samples: _, ...tried } = mapping;
  const body = { mapping: tried, ...inputOf(slip) };
  return (await ask(transformContracts.dryRunMapping, { body }, call)).body;
}

async function shown({ ask }: Portal, receipt: PostedReceipt, call: Call) {
  const stored = (await ask(receiptStoreContracts.previewReceipt, { body: { receipt } }, call)).body;
  const page = (await ask(deliveryContracts.renderReceipt, { body: { receipt: stored.receipt } }, call)).body;
  return { page, preview: { currency: stored.receipt.l10n.currency, checks: stored.checks } };
}

async function testsOf({ ask }: Portal, mapping: PostedMapping, call: Call): Promise<Tests | undefined> {
  return (await orUndefined(ask(transformContracts.testMapping, { body: { mapping } }, call)))?.body.samples;
}

/** Runs a mapping on a slip and on its tests. Errors of the mapping are part of the result. */
export async function tryMapping(
  deps: Portal,
  { call }: SignedIn,
  draft: Draft,
  slip: Slip,
  samples: readonly MappingSample[] = [],
): Promise<Trial> {
  const { document, faults } = compose(draft, samples);
  const trying = async () => {
    const tried =
      document && slip.bytes.length > 0 ? await refusable(dryRun(deps, document, slip, call)) : undefined;
    const run = Array.isArray(tried) ? undefined : tried;
    const all = [...faults, ...(Array.isArray(tried) ? tried : (tried?.errors ?? []))];
    const [first] = run?.receipts ?? [];
    const isValid = first !== undefined && !all.some(({ path }) => path.startsWith('/0'));
    const { page, preview } = await shown(deps, isValid ? (first as PostedReceipt) : blank, call);
    return { faults: all, run, page, preview: isValid ? preview : undefined };
  };
  const inspected = { body: { input_base64: inputOf(slip).input_base64 } };
  // Awaited together: a question that failed while another was open would end the process.
  const [trial, listing, tests] = await Promise.all([
    trying(),
    deps.ask(transformContracts.inspectSlip, inspected, call),
    document && samples.length > 0 ? testsOf(deps, document, call) : undefined,
  ]);
  return { ...trial, tests, listing: listing.body };
}

/** The result, or the errors of a rejected mapping. */
async function refusable<T>(answer: Promise<T>): Promise<T | Fault[]> {
  try {
    return await answer;
  } catch (error) {
    const { errors, description } = refusalIn(error);
    return [...(errors ?? [{ path: '', message: description }])];
  }
}
