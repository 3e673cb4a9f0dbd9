import {
  ingestContracts,
  transformContracts,
  type adminPages,
  type MappingDocument,
  type MappingSample,
  type PostedMapping,
} from '@receipts/contracts';
import { ServiceError, unlessStatus, type Input } from '@receipts/kernel';
import { refusalIn } from '../../pages/refusal';
import { redirectTo, type PageReply } from '../../pages/reply';
import type { Language } from '../../pages/language';
import { checkForm, checkSameSite } from '../../pages/same-site';
import { pageFor } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';
import { permittedPage } from '../page';
import { checkPermission, signedIn, type SignedIn } from '../signed-in';
import { activeVersion } from './active-version';
import { compareWithPackets } from './compare-packets';
import { differencesView } from './differences-view';
import {
  compose,
  draftOf,
  draftOfTemplate,
  idFault,
  isSameSlip,
  readSubmission,
  slipOfSample,
  slipOfTest,
  type Draft,
  type Fault,
  type Slip,
  type Submission,
} from './draft';
import { faultList } from './fault-list';
import { inputOf, tryMapping } from './try-mapping';
import { workbenchPath, workbenchView, type Workbench } from './workbench-view';

type Query = Input<(typeof adminPages)['portalWorkbench']>['query'];

const noSlip: Slip = { bytes: Buffer.alloc(0), contentType: '' };

/** @throws ServiceError 403, 404 */
async function slipOfPacket({ ask }: Portal, who: SignedIn, id: string): Promise<Slip> {
  checkPermission(who, 'view.get_packet');
  const named = { params: { id } };
  const [{ body: packet }, { body: bytes }] = await Promise.all([
    ask(ingestContracts.getPacket, named, who.call),
    ask(ingestContracts.getPacketRaw, named, who.call),
  ]);
  const { content_type, metadata, properties } = packet;
  return { bytes, contentType: content_type ?? '', sent: { metadata, properties }, packet };
}

/**
 * The submitted slip, with the metadata of its packet or test, and with the original bytes if the text is unchanged.
 */
async function slipSent(deps: Portal, who: SignedIn, sent: Submission, stored?: MappingDocument) {
  const { slip, packetId, test, open } = sent;
  const opened = slipOfTest(stored, open);
  if (opened) return opened;
  const original = packetId ? await slipOfPacket(deps, who, packetId) : slipOfTest(stored, test);
  if (!original) return slip;
  return isSameSlip(original, slip)
    ? { ...original, contentType: slip.contentType }
    : { ...original, ...slip };
}

const find = async ({ ask }: Pick<Portal, 'ask'>, who: SignedIn, id: string, version?: number) =>
  (
    await ask(
      transformContracts.getMapping,
      { params: { id }, query: { ...(version && { version }) } },
      who.call,
    )
  ).body;

/** Undefined for a mapping that does not exist. */
async function findStored(deps: Portal, who: SignedIn, { id, version }: Draft) {
  if (version === undefined) return undefined;
  return unlessStatus(find(deps, who, id, version), 404);
}

/** The versions that the page links to. */
async function versionsOf(deps: Portal, who: SignedIn, { id }: MappingDocument) {
  const [newest, active] = await Promise.all([find(deps, who, id), activeVersion(deps, who, id)]);
  return { newest: newest.version, active: active?.version };
}

interface Result extends Omit<Workbench, 'trial'> {
  /** The errors that caused the action to be rejected. */
  readonly refused?: readonly Fault[];
}

async function replyWith(
  deps: Portal,
  who: SignedIn,
  { refused = [], ...parts }: Result,
  status?: number,
): Promise<PageReply> {
  const { draft, slip, stored } = parts;
  const trial = await tryMapping(deps, who, draft, slip, stored?.samples);
  const isShown = ({ path, message }: Fault) =>
    trial.faults.some((fault) => fault.path === path && fault.message === message);
  const others = refused.filter((fault) => !isShown(fault));
  const page = {
    title: draft.id === '' ? who.language.t('bench.new') : draft.id,
    main: workbenchView({ differences: faultList(others, draft, who.language), ...parts, trial }, who),
    menuPath: '/portal/mappings',
    script: '/portal/live-form.js',
  } as const;
  const documentPolicy = trial.page.contentSecurityPolicy;
  return pageFor(who, page, status, { hasScript: true, documentPolicy });
}

async function opened(deps: Portal, who: SignedIn, query: Query): Promise<Result> {
  const packet = query.packet ? await slipOfPacket(deps, who, query.packet) : undefined;
  const id = query.mapping || packet?.packet?.mapping?.id;
  if (!id) {
    const { draft, slip } = draftOfTemplate(query.template ?? 'text', packet?.packet);
    return { draft, slip: packet ?? slip };
  }
  const stored = await find(deps, who, id, query.version);
  return {
    draft: draftOf(stored),
    stored,
    done: query.done,
    versions: await versionsOf(deps, who, stored),
    slip: packet ?? slipOfTest(stored, query.test ?? 1) ?? noSlip,
  };
}

export const portalWorkbench = (deps: Portal): HandlerOf<'portalWorkbench'> =>
  permittedPage(deps, 'view.manage_mapping', async (who, { query }) =>
    replyWith(deps, who, await opened(deps, who, query)),
  );

/** The result of an action: the redirect, or the data that the page shows. */
type ActionResult = { readonly to: string } | Pick<Workbench, 'differences'>;

/** Redirects to a version, with the slip if it can be found again. */
function toVersion({ id, version }: MappingDocument, done: string, { packet, test }: Slip): ActionResult {
  const found = packet ? { packet: packet.id } : test !== undefined && { test: String(test) };
  const query = { mapping: id, version: String(version), done, ...found };
  return { to: `${workbenchPath}?${new URLSearchParams(query).toString()}` };
}

/** @throws ServiceError 422 if there is no valid mapping */
function valid(draft: Draft, samples: MappingDocument['samples'], { t }: Language): PostedMapping {
  const { document, faults } = compose(draft, samples);
  const wrongId = idFault(draft);
  if (document && !wrongId) return document;
  const description = t('bench.notSaved');
  const all = wrongId ? [wrongId, ...faults] : faults;
  throw new ServiceError({ status: 422, description }, { errors: all.map(toField) });
}

const toField = ({ path, message }: { path: string; message: string }) => ({
  path,
  code: 'invalid',
  message,
});

/**
 * The tests with the slip as one of them, instead of an earlier test of the same slip.
 * @throws ServiceError 422 if the slip does not produce a receipt
 */
async function withTest(deps: Portal, who: SignedIn, { draft, slip }: Submission, stored?: MappingDocument) {
  const { run } = await tryMapping(deps, who, draft, slip);
  const receipts = (run?.receipts ?? []) as Record<string, unknown>[];
  const [first] = receipts;
  if (!first || run?.errors.length !== 0) {
    const description = who.language.t('bench.noReceipt');
    throw new ServiceError({ status: 422, description });
  }
  const sample = { ...inputOf(slip), expect: receipts.length === 1 ? first : receipts };
  const isOther = (known: MappingSample) => !isSameSlip(slipOfSample(known), slip);
  return [...(stored?.samples ?? []).filter(isOther), sample];
}

async function act(
  deps: Portal,
  who: SignedIn,
  sent: Submission,
  stored: MappingDocument | undefined,
): Promise<ActionResult> {
  const { ask } = deps;
  const { action, draft, slip, remove } = sent;
  const save = async (samples: MappingDocument['samples'], done: string, shown: Slip) => {
    const body = valid(draft, samples, who.language);
    return toVersion((await ask(transformContracts.createMapping, { body }, who.call)).body, done, shown);
  };
  if (remove !== undefined) {
    const left = stored?.samples?.filter((_, index) => index !== remove - 1);
    return save(left, 'removed', { ...slip, test: undefined });
  }
  if (action === 'save') return save(stored?.samples, action, slip);
  if (action === 'keep') {
    const samples = await withTest(deps, who, sent, stored);
    return save(samples, action, { ...slip, test: samples.length });
  }
  if (action === 'activate' && stored) {
    const { id, version } = stored;
    await ask(transformContracts.activateMapping, { params: { id }, body: { version } }, who.call);
    return toVersion(stored, action, slip);
  }
  if (action === 'compare') {
    const compared = await compareWithPackets(deps, who, valid(draft, undefined, who.language));
    return { differences: differencesView(compared, who) };
  }
  return {};
}

export function portalTryMapping(deps: Portal): HandlerOf<'portalTryMapping'> {
  return async ({ headers, body, contentType }, call) => {
    checkSameSite(headers);
    const who = await signedIn(deps, headers, call);
    if (!who) return redirectTo('/portal/sign-in');
    const sent = await readSubmission(body, contentType);
    checkForm(who.session, sent.csrf);
    checkPermission(who, 'view.manage_mapping');
    const stored = await findStored(deps, who, sent.draft);
    const slip = await slipSent(deps, who, sent, stored);
    // The script runs the mapping after each keystroke, and replaces only the results.
    const isRun = sent.action === 'run' && sent.open === undefined;
    const versions = stored && !isRun ? await versionsOf(deps, who, stored) : undefined;
    const parts = { draft: sent.draft, slip, stored, versions };
    try {
      const outcome = await act(deps, who, { ...sent, slip }, stored);
      return 'to' in outcome ? redirectTo(outcome.to) : replyWith(deps, who, { ...parts, ...outcome });
    } catch (error) {
      const { status, description, errors = [] } = refusalIn(error);
      const fault = who.language.api(description);
      return replyWith(deps, who, { ...parts, fault, refused: errors }, status);
    }
  };
}
