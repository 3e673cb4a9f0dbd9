import { failureReasons, ingestContracts } from '@receipts/contracts';
import type { ReceivedReply } from '@receipts/kernel';
import { html, type Html } from '@receipts/html';
import { languages } from '../../pages/language';
import { badge, table } from '../../pages/table';
import { countText } from './formats';
import { ago, asJson } from './parts';
import type { HandlerOf, Operations } from '../open-operations';
import { operatorPage } from './page';

export const packetsPath = '/operator/pages/packets';
const shownCount = 50;

type Failed = ReceivedReply<typeof ingestContracts.listFailedPackets>['body'];

export const packetPath = (retailer: string, id: string) =>
  `${packetsPath}/${encodeURIComponent(retailer)}/${encodeURIComponent(id)}`;

const reasonOf = (reason: Failed['groups'][number]['reason']) =>
  html`<code>${reason}</code><small>${languages.en.messages[`packetReason.${reason}`]}</small>`;

function groupsOf({ groups }: Failed, base: string, now: Date): Html {
  const columns = ['Retailer', 'Reason', 'Mapping', { numbers: 'Packets' }, 'Newest', 'Details'];
  const rows = groups.map(({ retailer, reason, mapping, ...group }) => [
    html`<strong>${retailer}</strong>`,
    reasonOf(reason),
    mapping === null ? html`<span class="soft">none</span>` : html`<code>${mapping}</code>`,
    countText(group.packets),
    ago(group.newest_timestamp, now),
    html`<a href="${base}${packetPath(retailer, group.newest_packet)}"
        >Dry run<span class="visually-hidden"> of the latest packet of ${retailer}, ${reason}</span></a
      ><small
        ><a href="${base}${packetsPath}?${new URLSearchParams({ retailer, reason }).toString()}"
          >all<span class="visually-hidden"> of ${retailer}, ${reason}</span></a
        ></small
      >`,
  ]);
  return table('groups', columns, rows);
}

function packetsOf({ packets }: Failed, base: string, now: Date): Html {
  const columns = ['Packet', 'Reason', 'First error', 'Arrived'];
  const rows = packets.map(({ id, retailer, reason, errors, ...packet }) => [
    html`<a href="${base}${packetPath(retailer, id)}"><code>${id}</code></a
      ><small>${retailer}</small>`,
    reason === null ? '' : html`<code>${reason}</code>`,
    errors[0]
      ? html`${errors[0].message}<small>${errors[0].path}</small>`
      : html`<span class="soft">none</span>`,
    ago(packet.received_timestamp, now),
  ]);
  return table('newest', columns, rows);
}

export interface PacketFilter {
  readonly retailer?: string | undefined;
  readonly reason?: string | undefined;
}

/** The response of `GET /operator/packets/failed`. */
export function packetsView(
  failed: Failed,
  { retailer, reason }: PacketFilter,
  base: string,
  now: Date,
): Html {
  const isFiltered = Boolean(retailer) || Boolean(reason);
  return html`<h1>Failed packets</h1>
    <p class="lead">
      Data from tills that could not be converted to receipts, for all retailers. The data is kept: the
      retailer can reprocess it once the mapping has been fixed.
    </p>
    ${isFiltered && html`<p class="crumb"><a href="${base}${packetsPath}">All failed packets</a></p>`}
    ${
      failed.groups.length === 0
        ? html`<p class="card empty">No failed packets${isFiltered && ' here'}.</p>`
        : html`<section class="card" aria-labelledby="groups">
              <h2 id="groups">
                By retailer and reason ${!failed.is_complete && badge('warn', 'of the newest 10,000')}
              </h2>
              ${groupsOf(failed, base, now)}
            </section>
            <section class="card" aria-labelledby="newest">
              <h2 id="newest">Newest packets</h2>
              ${packetsOf(failed, base, now)}
            </section>`
    }
    ${asJson('/operator/packets/failed')}`;
}

const knownReason = (text: string | undefined) => failureReasons.find((reason) => reason === text);

export const operationsPackets = (operations: Operations): HandlerOf<'operationsPackets'> =>
  operatorPage(operations, { title: 'Failed packets', menuPath: packetsPath }, async (who, { query }) => {
    const { retailer } = query;
    const reason = knownReason(query.reason);
    const which = { count: shownCount, ...(retailer && { retailer }), ...(reason && { reason }) };
    const { body } = await operations.ask(ingestContracts.listFailedPackets, { query: which }, who.call);
    return packetsView(body, { retailer, reason }, operations.base, operations.now());
  });
