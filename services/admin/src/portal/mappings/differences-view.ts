import { html, type Html } from '@receipts/html';
import type { Language } from '../../pages/language';
import { badge, table } from '../../pages/table';
import type { Comparison, PacketComparisons } from './compare-packets';
import type { SignedIn } from '../signed-in';
import { workbenchPath } from './workbench-view';

function resultOf({ packet, faults, differences }: Comparison, { t, api }: Language): Html {
  const [fault] = faults;
  if (fault) return html`${badge('bad', t('try.fails'))} <code>${fault.path}</code> ${api(fault.message)}`;
  if (packet.status === 'failed') return badge('good', t('differences.converted'));
  return html`${badge('warn', t('differences.differs'))}
  ${differences.map((path) => html`<code>${path}</code> `)}`;
}

function summaryOf(count: number, others: number, hasActive: boolean, { t }: Language): string {
  if (count === 0) return t('differences.none');
  if (hasActive) return t('differences.same', { same: count - others, count });
  return t('differences.noActive', { count });
}

/** Shows how a draft converts the latest packets, compared with the active version if there is one. */
export function differencesView(
  { comparisons, hasActive }: PacketComparisons,
  { language, retailer, base }: SignedIn,
): Html {
  const { t, time } = language;
  const isSame = ({ packet, faults, differences }: Comparison) =>
    packet.status !== 'failed' && faults.length === 0 && differences.length === 0;
  const others = comparisons.filter((comparison) => !isSame(comparison));
  const columns = [t('packet'), t('received'), t('differences.result')];
  const rows = others.map((comparison) => [
    html`<a href="${base}${workbenchPath}?packet=${comparison.packet.id}"
      ><code>${comparison.packet.id}</code></a
    >`,
    time(comparison.packet.received_timestamp, retailer.settings.timezone),
    resultOf(comparison, language),
  ]);
  return html`<section class="card" aria-labelledby="differences">
    <h2 id="differences">${t(hasActive ? 'differences.active' : 'differences.latest')}</h2>
    <p>${summaryOf(comparisons.length, others.length, hasActive, language)}</p>
    ${others.length > 0 && table('differences', columns, rows)}
  </section>`;
}
