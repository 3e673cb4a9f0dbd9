import { ingestContracts } from '@receipts/contracts';
import { html } from '@receipts/html';
import type { Call } from '@receipts/kernel';
import { messageKey } from '../../pages/language';
import { orUndefined } from '../../pages/refusal';
import { redirectTo } from '../../pages/reply';
import { portalForm } from '../form';
import { pageFor } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';
import { permittedPage, refusedPage } from '../page';
import { chosenIds, progressPage, rejectionsIn, startForEach, type ProgressRow } from '../progress';
import { checkPermission, type SignedIn } from '../signed-in';
import { packetsPath } from './packets';

const permission = 'view.reprocess_packet';
const reprocessedPath = '/portal/packets/reprocessed';

/** Converts the chosen packets again, and shows what becomes of each. */
export function portalReprocessPackets(deps: Portal): HandlerOf<'portalReprocessPackets'> {
  const reprocess = (id: string, call: Call) =>
    deps.ask(ingestContracts.reprocessPacket, { params: { id } }, call);
  return (input, call) =>
    portalForm(deps, input, call, {
      permission,
      act: async (who) => {
        return redirectTo(`${reprocessedPath}?${await startForEach(input.body.ids, reprocess, who)}`);
      },
      refused: async (who, fault) => {
        const title = who.language.t('several.convert');
        const main = refusedPage(title, fault, who);
        return pageFor(who, { title, main, menuPath: packetsPath }, fault.status);
      },
    });
}

async function rowOf(
  { ask }: Portal,
  { base, call, language: { t } }: SignedIn,
  id: string,
  rejection: string | undefined,
): Promise<ProgressRow> {
  const packet = (await orUndefined(ask(ingestContracts.getPacket, { params: { id } }, call)))?.body;
  const [receipt] = packet?.receipt_ids ?? [];
  if (packet?.status === 'converted') {
    const name = receipt === undefined ? id : html`<a href="${base}/portal/receipts/${receipt}">${id}</a>`;
    return { name: html`<code>${name}</code>`, state: 'done', result: t('status.converted') };
  }
  const name = html`<code>${id}</code>`;
  if (rejection !== undefined || !packet) {
    return { name, state: 'failed', result: t(messageKey(`fault.${rejection}`) ?? 'several.notConverted') };
  }
  if (packet.status === 'accepted') return { name, state: 'waiting', result: t('status.pending') };
  return {
    name,
    state: 'failed',
    result: t(packet.reason === null ? 'status.failed' : `packetReason.${packet.reason}`),
  };
}

/** What became of packets that were converted again together. */
export const portalReprocessedPackets = (deps: Portal): HandlerOf<'portalReprocessedPackets'> =>
  permittedPage(deps, permission, async (who, { query }) => {
    checkPermission(who, 'view.get_packet');
    const rejections = rejectionsIn(query.rejected);
    const rows = await Promise.all(
      chosenIds(query.ids).map((id) => rowOf(deps, who, id, rejections.get(id))),
    );
    const { t } = who.language;
    const title = t('several.convert');
    return progressPage(
      { title, menuPath: packetsPath, path: reprocessedPath, column: t('packet'), rows },
      who,
    );
  });
