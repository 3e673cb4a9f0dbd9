import {
  ingestContracts,
  transformContracts,
  type adminContracts,
  type MappingDocument,
  type PostedMapping,
} from '@receipts/contracts';
import { ServiceError, type Input } from '@receipts/kernel';
import { livePageReply, redirectTo, withDocument, type PageReply } from '../../pages/reply';
import { checkForm, checkSameSite } from '../../pages/same-site';
import { layout } from '../layout';
import type { Endpoint, Portal } from '../open-portal';
import { checkPermission, signedIn, type SignedIn } from '../signed-in';
import { compareWithPackets } from './compare-packets';
import { differencesView } from './differences-view';
import {
  compose,
  draftOf,
  draftOfTemplate,
  readSubmission,
  slipOfSample,
  type Draft,
  type Slip,
  type Submission,
} from './draft';
import { faultList } from './try-view';
import { inputOf, tryMapping } from './try-mapping';
import { workbenchPath, workbenchView, type Workbench } from './workbench-view';

type Query = Input<(typeof adminContracts)['portalWorkbench']>['query'];

const noSlip: Slip = { bytes: Buffer.alloc(0), contentType: '' };

/** @throws ServiceError 403, 404 */
async function slipOfPacket({ ask }: Portal, who: SignedIn, id: string): Promise<Slip> {
  checkPermission(who, 'view.get_packet');
  const named = { params: { id } };
  const [{ body: packet }, { body: bytes }] = await Promise.all([
    ask(ingestContracts.getPacket, named, who.call),
    ask(ingestContracts.getPacketRaw, named, who.call),
  ]);
  return { bytes, contentType: packet.content_type ?? '', packet };
}

const find = async ({ ask }: Portal, who: SignedIn, id: string, version?: number) =>
  (
    await ask(
      transformContracts.getMapping,
      { params: { id }, query: { ...(version && { version }) } },
      who.call,
    )
  ).body;

/** Like the above, but undefined for a mapping that does not exist. */
async function findStored(deps: Portal, who: SignedIn, { id, version }: Draft) {
  if (version === undefined) return undefined;
  return find(deps, who, id, version).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return undefined;
    throw error;
  });
}

async function replyWith(
  deps: Portal,
  who: SignedIn,
  parts: Omit<Workbench, 'trial'>,
  status = 200,
): Promise<PageReply> {
  const { base } = deps;
  const trial = await tryMapping(deps, who, parts.draft, parts.slip);
  const page = layout({
    title: parts.draft.id === '' ? 'New mapping' : parts.draft.id,
    main: workbenchView({ ...parts, trial }, who, base),
    ...{ user: who, place: '/portal/mappings', base, script: '/portal/live-form.js' },
  });
  const reply = withDocument(livePageReply(page), trial.page.contentSecurityPolicy);
  return { ...reply, meta: { ...reply.meta, status } };
}

async function opened(deps: Portal, who: SignedIn, query: Query): Promise<Omit<Workbench, 'trial'>> {
  const packet = query.packet ? await slipOfPacket(deps, who, query.packet) : undefined;
  const id = query.mapping || packet?.packet?.mapping?.id;
  if (!id) {
    const { draft, slip } = draftOfTemplate(query.template ?? 'text');
    return { draft, slip: packet ?? slip };
  }
  const stored = await find(deps, who, id, query.version);
  const [sample] = stored.samples ?? [];
  return {
    ...{ draft: draftOf(stored), stored, done: query.done },
    slip: packet ?? (sample ? slipOfSample(sample) : noSlip),
  };
}

export function portalWorkbench(deps: Portal): Endpoint<'portalWorkbench'> {
  return async ({ query, headers }, call) => {
    const who = await signedIn(deps, headers.cookie, call);
    if (!who) return redirectTo('/portal/sign-in');
    checkPermission(who, 'view.manage_mapping');
    return replyWith(deps, who, await opened(deps, who, query));
  };
}

/** The result of an action: the redirect, or the data that the page shows. */
type Outcome = { readonly to: string } | Pick<Workbench, 'differences'>;

const toVersion = ({ id, version }: Pick<MappingDocument, 'id' | 'version'>, done: string): Outcome => ({
  to: `${workbenchPath}?${new URLSearchParams({ mapping: id, version: String(version), done }).toString()}`,
});

/** @throws ServiceError 422 if there is no valid mapping */
function valid(draft: Draft, samples: MappingDocument['samples']): PostedMapping {
  const { document, faults } = compose(draft, samples);
  if (document) return document;
  const description = 'The mapping cannot be saved: see its errors.';
  throw new ServiceError({ status: 422, description }, { errors: faults.map(toField) });
}

const toField = ({ path, message }: { path: string; message: string }) => ({
  path,
  code: 'invalid',
  message,
});

async function act(
  deps: Portal,
  who: SignedIn,
  { action, draft, slip }: Submission,
  stored: MappingDocument | undefined,
): Promise<Outcome> {
  const { ask } = deps;
  const save = async (samples: MappingDocument['samples']) => {
    const body = valid(draft, samples);
    return toVersion((await ask(transformContracts.createMapping, { body }, who.call)).body, action);
  };
  if (action === 'save') return save(stored?.samples);
  if (action === 'keep') {
    const { run } = await tryMapping(deps, who, draft, slip);
    const receipts = (run?.receipts ?? []) as Record<string, unknown>[];
    const [first] = receipts;
    if (!first || run?.errors.length !== 0) {
      throw new ServiceError({
        status: 422,
        description: 'The slip does not produce a receipt, so it cannot be saved as a test.',
      });
    }
    const sample = { ...inputOf(slip), expect: receipts.length === 1 ? first : receipts };
    return save([...(stored?.samples ?? []), sample]);
  }
  if (action === 'activate' && stored) {
    const { id, version } = stored;
    await ask(transformContracts.activateMapping, { params: { id }, body: { version } }, who.call);
    return toVersion(stored, action);
  }
  if (action === 'compare') {
    const document = valid(draft, undefined);
    return { differences: differencesView(await compareWithPackets(deps, who, document), deps.base) };
  }
  return {};
}

export function portalTryMapping(deps: Portal): Endpoint<'portalTryMapping'> {
  return async ({ headers, body, contentType }, call) => {
    checkSameSite(headers);
    const who = await signedIn(deps, headers.cookie, call);
    if (!who) return redirectTo('/portal/sign-in');
    const sent = await readSubmission(body, contentType);
    checkForm(who.session, sent.csrf);
    checkPermission(who, 'view.manage_mapping');
    const packet = sent.packetId ? (await slipOfPacket(deps, who, sent.packetId)).packet : undefined;
    const slip = { ...sent.slip, packet };
    const stored = await findStored(deps, who, sent.draft);
    const parts = { draft: sent.draft, slip, stored };
    try {
      const outcome = await act(deps, who, { ...sent, slip }, stored);
      return 'to' in outcome ? redirectTo(outcome.to) : replyWith(deps, who, { ...parts, ...outcome });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      const shown = {
        ...parts,
        fault: error.description,
        differences: faultList(error.errors ?? [], sent.draft),
      };
      return replyWith(deps, who, shown, error.status);
    }
  };
}
