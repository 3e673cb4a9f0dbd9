import { ingestContracts, type PacketView } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { postForm, success } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import type { Language } from '../../pages/language';
import { olderLink, parameterOf } from '../../pages/older-link';
import { redirectTo } from '../../pages/reply';
import { checkForm, checkSameSite } from '../../pages/same-site';
import { table } from '../../pages/table';
import { doneText, type DoneTexts } from '../done-text';
import type { HandlerOf, Portal } from '../open-portal';
import { portalPage } from '../page';
import { checkPermission, signedIn, type SignedIn } from '../signed-in';
import { workbenchPath } from './workbench-view';

export const packetsPath = '/portal/packets';
const pageCount = 50;
/** The characters of the first line that a row shows. */
const firstLineMax = 40;

const doneTexts: DoneTexts = {
  converting: 'packets.converting',
  reprocessed: 'packets.reprocessed',
  converted: 'packets.converted',
};

const mayConvert = (who: SignedIn) => who.may('view.reprocess_packet');

function convertAllForm(who: SignedIn): Html | false {
  if (!mayConvert(who)) return false;
  const button = html`<button class="quiet">${who.language.t('packets.convertAll')}</button>`;
  return postForm(`${who.base}${packetsPath}`, who.session.csrf, button, { className: 'above' });
}

/** Chooses a packet for the form around the table. */
const chooser = (id: string, { t }: Language) =>
  html`<input type="checkbox" name="ids" value="${id}" aria-label="${t('choose.packet', { id })}" />`;

/** Converts one packet; the form around the table would convert the chosen ones. */
const convertButton = (id: string, { base, language: { t } }: SignedIn) =>
  html`<button class="quiet" name="packet" value="${id}" formaction="${base}${packetsPath}">
    ${t('packets.convert')}
  </button>`;

/** Where a packet comes from: its store and till, its source, and the kind of its data. */
function sourceOf({ metadata, content_type: type, size }: PacketView, { t, plural }: Language): Html {
  const { store_reference: store, till_id: till, source_id: source } = metadata;
  const names = [
    store !== undefined && t('storeNumber', { store }),
    till !== undefined && t('tillNumber', { till }),
    source,
  ].filter((name) => name !== undefined && name !== false);
  return html`${names.join(', ')}<small>${type ?? t('packets.noType')}, ${plural('bytes', size)}</small>`;
}

/** The first line of the data, which opens the beginning of the data. */
function previewPart(preview: string | null, { t }: Language): Html {
  if (preview === null) return html`<span class="soft">${t('packets.deleted')}</span>`;
  const [first = ''] = preview.split('\n');
  return html`<details class="preview">
    <summary><code>${first === '' ? t('show') : first.slice(0, firstLineMax)}</code></summary>
    <pre tabindex="0">${preview}</pre>
  </details>`;
}

/** The first error of a packet. Only authors of mappings see the pointer to its position. */
function errorText({ errors, reason }: PacketView, who: SignedIn): Html | undefined {
  const { t } = who.language;
  const [error] = errors;
  if (!error || reason === null) return undefined;
  if (reason === 'duplicate_transaction_id') {
    const [, transaction] = /: (.*)$/s.exec(error.message) ?? [];
    const query = new URLSearchParams({ query: `"${transaction ?? ''}"` }).toString();
    return transaction === undefined
      ? undefined
      : html`<small
          ><a href="${who.base}/portal/?${query}">${t('receipt.title', { number: transaction })}</a></small
        >`;
  }
  return html`<small
    >${who.may('view.manage_mapping') && html`<code>${error.path}</code> `}${who.language.api(error.message)}</small
  >`;
}

function rowOf(packet: PacketView, preview: string | null, who: SignedIn): (Html | string)[] {
  const { id, reason, received_timestamp: received } = packet;
  const { t, time } = who.language;
  const at = time(received, who.retailer.settings.timezone);
  return [
    ...(mayConvert(who) ? [chooser(id, who.language)] : []),
    html`<span id="packet-${id}"></span>${
        who.may('view.manage_mapping')
          ? html`<a href="${who.base}${workbenchPath}?packet=${id}">${at}</a>`
          : at
      }<small><code>${id}</code></small>`,
    sourceOf(packet, who.language),
    html`${reason !== null && t(`packetReason.${reason}`)}${errorText(packet, who)}`,
    previewPart(preview, who.language),
    ...(mayConvert(who) ? [convertButton(id, who)] : []),
  ];
}

async function listOf({ ask }: Portal, who: SignedIn, older: string | undefined): Promise<Html> {
  checkPermission(who, 'view.get_packet');
  const { t } = who.language;
  const query = { status: 'failed', count: pageCount, ...(older && { older }) } as const;
  const { packets, _links } = (await ask(ingestContracts.listPackets, { query }, who.call)).body;
  if (packets.length === 0) return html`<p class="card empty">${t('packets.none')}</p>`;
  const ids = packets.map(({ id }) => id);
  const { previews } = (await ask(ingestContracts.previewPackets, { body: { ids } }, who.call)).body;
  const facts = [t('received'), t('packets.source'), t('reason'), t('packets.data')];
  const canConvert = mayConvert(who);
  const columns = canConvert ? [t('choose.column'), ...facts, t('action')] : facts;
  const next = parameterOf(_links.next, 'older');
  const address = next && `${who.base}${packetsPath}?${new URLSearchParams({ older: next }).toString()}`;
  const rows = table(
    'packets',
    columns,
    packets.map((packet, index) => rowOf(packet, previews[index] ?? null, who)),
    { rowHead: canConvert ? 1 : 0 },
  );
  const form = html`${rows}
    <p class="actions"><button class="quiet">${t('several.convert')}</button></p>`;
  return html`<section class="card">
    ${canConvert ? postForm(`${who.base}${packetsPath}/reprocess`, who.session.csrf, form) : rows}
    ${olderLink(address, who.language)}
  </section>`;
}

/** Data from tills that could not be converted. */
export const portalPackets = (deps: Portal): HandlerOf<'portalPackets'> =>
  portalPage(deps, {
    title: 'menu.packets',
    menuPath: packetsPath,
    head: ({ query: { done, packet } }, who) => {
      const { t } = who.language;
      return html`<h1 id="packets">${t('menu.packets')}</h1>
        <p class="lead">${t('packets.lead')}</p>
        ${success(doneText(doneTexts, done, who.language))}
        ${packet && html`<p><a href="${who.base}/portal/receipts/${packet}">${t('packets.receiptOf', { packet })}</a></p>`}
        ${convertAllForm(who)}`;
    },
    result: ({ query }, who) => listOf(deps, who, query.older),
  });

export function portalReprocess(deps: Portal): HandlerOf<'portalReprocess'> {
  return async ({ headers, body }, call) => {
    checkSameSite(headers);
    const who = await signedIn(deps, headers, call);
    if (!who) return redirectTo('/portal/sign-in');
    checkForm(who.session, body.csrf);
    checkPermission(who, 'view.reprocess_packet');
    const { packet } = body;
    if (packet === undefined) {
      await deps.ask(ingestContracts.reprocessPackets, { body: {} }, who.call);
      return redirectTo(`${packetsPath}?done=reprocessed`);
    }
    try {
      await deps.ask(ingestContracts.reprocessPacket, { params: { id: packet } }, who.call);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 409) throw error;
      return redirectTo(`${packetsPath}?${new URLSearchParams({ done: 'converted', packet }).toString()}`);
    }
    return redirectTo(`${packetsPath}?${new URLSearchParams({ done: 'converting', packet }).toString()}`);
  };
}
