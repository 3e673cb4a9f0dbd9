import { localTimeText } from '../../pages/formats';
import { html, type Html } from '../../pages/html';
import { badge, table } from '../../pages/table';
import type { Comparison, PacketComparisons } from './compare-packets';
import { workbenchPath } from './workbench-view';

function resultOf({ packet, faults, differences }: Comparison): Html {
  const [fault] = faults;
  if (fault) return html`${badge('bad', 'fails')} <code>${fault.path}</code> ${fault.message}`;
  if (packet.status === 'failed') return badge('good', 'converted now');
  return html`${badge('warn', 'differs')} ${differences.map((path) => html`<code>${path}</code> `)}`;
}

function summaryOf(count: number, others: number, hasActive: boolean): string {
  if (count === 0) return 'There are no packets to compare.';
  if (hasActive) return `${count - others} of ${count} packets produce the same receipts.`;
  return `No version is active. This is what the draft makes of ${count} packets.`;
}

/** Shows how a draft converts the latest packets, compared with the active version if there is one. */
export function differencesView(
  { comparisons, hasActive }: PacketComparisons,
  timeZone: string,
  base: string,
): Html {
  const isSame = ({ packet, faults, differences }: Comparison) =>
    packet.status !== 'failed' && faults.length === 0 && differences.length === 0;
  const others = comparisons.filter((comparison) => !isSame(comparison));
  const columns = ['Packet', 'Received', 'Result'].map((head) => ({ head }));
  const rows = others.map((comparison) => [
    html`<a href="${base}${workbenchPath}?packet=${comparison.packet.id}"
      ><code>${comparison.packet.id}</code></a
    >`,
    localTimeText(comparison.packet.received_timestamp, timeZone),
    resultOf(comparison),
  ]);
  return html`<section class="card" aria-labelledby="differences">
    <h2 id="differences">${hasActive ? 'Compared with the active version' : 'The latest packets'}</h2>
    <p>${summaryOf(comparisons.length, others.length, hasActive)}</p>
    ${others.length > 0 && table('differences', columns, rows)}
  </section>`;
}
