import { timeText } from '../../pages/formats';
import { html, type Html } from '../../pages/html';
import { badge, table } from '../../pages/table';
import type { Comparison } from './compare-packets';
import { workbenchPath } from './workbench-view';

function resultOf({ packet, faults, differences }: Comparison): Html {
  const [fault] = faults;
  if (fault) return html`${badge('bad', 'fails')} <code>${fault.path}</code> ${fault.message}`;
  if (packet.status === 'failed') return badge('good', 'converted now');
  return html`${badge('warn', 'differs')} ${differences.map((path) => html`<code>${path}</code> `)}`;
}

/** Shows how a draft converts the latest packets, compared with the active version. */
export function differencesView(comparisons: readonly Comparison[], base: string): Html {
  const isSame = ({ packet, faults, differences }: Comparison) =>
    packet.status !== 'failed' && faults.length === 0 && differences.length === 0;
  const others = comparisons.filter((comparison) => !isSame(comparison));
  const columns = ['Packet', 'Received', 'Result'].map((head) => ({ head }));
  const rows = others.map((comparison) => [
    html`<a href="${base}${workbenchPath}?packet=${comparison.packet.id}"
      ><code>${comparison.packet.id}</code></a
    >`,
    timeText(comparison.packet.received_timestamp),
    resultOf(comparison),
  ]);
  return html`<section class="card" aria-labelledby="differences">
    <h2 id="differences">Compared with the active version</h2>
    <p>
      ${comparisons.length === 0 ? 'There are no packets to compare.' : `${comparisons.length - others.length} of ${comparisons.length} packets produce the same receipts.`}
    </p>
    ${others.length > 0 && table('differences', columns, rows)}
  </section>`;
}
