import { ingestContracts, type PacketView } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { success } from '../../pages/form-fields';
import { timeText } from '../../pages/formats';
import { html, type Html } from '../../pages/html';
import { redirectTo } from '../../pages/reply';
import { checkForm, checkSameSite } from '../../pages/same-site';
import { table } from '../../pages/table';
import type { Endpoint, Portal } from '../open-portal';
import { portalPage } from '../page';
import { checkPermission, signedIn, type SignedIn } from '../signed-in';
import { workbenchPath } from './workbench-view';

const path = '/portal/packets';
const pageCount = 50;

const doneTexts: Readonly<Record<string, string>> = {
  reprocessed: 'The packets are being converted again.',
  converted: 'The packet had already been converted.',
};

function reprocessButton(who: SignedIn, base: string, label: string, packet?: string): Html | false {
  if (!who.may('view.reprocess_packet')) return false;
  return html`<form method="post" action="${base}${path}">
    <input type="hidden" name="csrf" value="${who.session.csrf}" />
    ${packet !== undefined && html`<input type="hidden" name="packet" value="${packet}" />`}
    <button class="quiet">${label}</button>
  </form>`;
}

function rowOf(packet: PacketView, who: SignedIn, base: string): (Html | string)[] {
  const { id, reason, errors, received_timestamp: received, metadata } = packet;
  const [error] = errors;
  return [
    who.may('view.manage_mapping')
      ? html`<a href="${base}${workbenchPath}?packet=${id}"><code>${id}</code></a>`
      : html`<code>${id}</code>`,
    html`${timeText(received)}<small>${metadata.store_reference} ${metadata.till_id}</small>`,
    html`<code>${reason}</code>${error && html`<small>${error.path} ${error.message}</small>`}`,
    html`${reprocessButton(who, base, 'Convert again', id)}`,
  ];
}

async function listOf({ ask, base }: Portal, who: SignedIn, older: string | undefined): Promise<Html> {
  checkPermission(who, 'view.get_packet');
  const query = { status: 'failed', count: pageCount, ...(older && { older }) } as const;
  const { packets, _links } = (await ask(ingestContracts.listPackets, { query }, who.call)).body;
  if (packets.length === 0) return html`<p class="card empty">No failed packets.</p>`;
  const columns = ['Packet', 'Received', 'Reason', 'Action'].map((head) => ({ head }));
  const next = _links.next && new URLSearchParams(_links.next.href.split('?')[1]).get('older');
  return html`<section class="card">
    ${table(
      'packets',
      columns,
      packets.map((packet) => rowOf(packet, who, base)),
    )}
    ${
      next &&
      html`<nav class="pages" aria-label="More">
        <span></span
        ><a
          class="button quiet"
          rel="next"
          href="${base}${path}?${new URLSearchParams({ older: next }).toString()}"
          >Older</a
        >
      </nav>`
    }
  </section>`;
}

/** Data from tills that could not be converted. */
export const portalPackets = (deps: Portal): Endpoint<'portalPackets'> =>
  portalPage(deps, {
    ...{ title: 'Failed packets', place: path },
    form: ({ query: { done } }, who) =>
      html`<h1 id="packets">Failed packets</h1>
        <p class="lead">
          Data from tills that could not be converted to receipts. The data is kept: open a packet to correct
          its mapping, activate the mapping, and convert the packets again.
        </p>
        ${success(done === undefined ? undefined : doneTexts[done])}
        ${reprocessButton(who, deps.base, 'Convert all again')}`,
    result: ({ query }, who) => listOf(deps, who, query.older),
  });

export function portalReprocess(deps: Portal): Endpoint<'portalReprocess'> {
  return async ({ headers, body }, call) => {
    checkSameSite(headers);
    const who = await signedIn(deps, headers.cookie, call);
    if (!who) return redirectTo('/portal/sign-in');
    checkForm(who.session, body.csrf);
    checkPermission(who, 'view.reprocess_packet');
    if (body.packet === undefined) {
      await deps.ask(ingestContracts.reprocessPackets, { body: {} }, who.call);
      return redirectTo(`${path}?done=reprocessed`);
    }
    try {
      await deps.ask(ingestContracts.reprocessPacket, { params: { id: body.packet } }, who.call);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 409) throw error;
      return redirectTo(`${path}?done=converted`);
    }
    return redirectTo(`${path}?done=reprocessed`);
  };
}
