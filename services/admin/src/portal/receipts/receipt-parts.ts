import type { Delivery, deliveryContracts, PacketView } from '@receipts/contracts';
import { groupBy } from '@receipts/concurrency';
import type { ReceivedReply } from '@receipts/kernel';
import { html, type Html } from '@receipts/html';
import { messageKey, type Language } from '../../pages/language';
import { fact, table } from '../../pages/table';
import type { SignedIn } from '../signed-in';

export type Explain = ReceivedReply<typeof deliveryContracts.listDeliveries>['body']['explain'];

interface Sending {
  readonly deliveries: readonly Delivery[];
  readonly explain: Explain;
}

/** Which channels can be used, and why the others cannot. */
function channelsOf(explain: Explain, { t }: Language): readonly Html[] {
  return [...groupBy(explain, ({ channel }) => channel).entries()].map(([channel, steps]) => {
    const failed = steps.filter(({ passed }) => !passed);
    const reasons = failed.map(({ step, detail }) => {
      const key = messageKey(`step.${step}`);
      return key ? t(key) : detail;
    });
    return html`<li>
      <strong>${t(`channel.${channel}`)}</strong>: ${t(failed.length > 0 ? 'receipt.cannot' : 'receipt.can')},
      ${reasons.join(', ') || t('step.ready')}.
    </li>`;
  });
}

export function deliveriesOf({ deliveries, explain }: Sending, { language, retailer }: SignedIn): Html {
  const { t, time } = language;
  const columns = [t('receipt.requested'), t('receipt.channel'), t('status')];
  const rows = deliveries.map((delivery) => [
    time(delivery.requested_timestamp, retailer.settings.timezone),
    html`${t(`channel.${delivery.channel}`)}<small>${delivery.address}</small>`,
    html`${t(`status.${delivery.status}`)}${delivery.reason !== null && html`<small>${delivery.reason}</small>`}`,
  ]);
  const usable = channelsOf(explain, language);
  return html`<section class="card" aria-labelledby="deliveries">
    <h2 id="deliveries">${t('receipt.deliveries')}</h2>
    ${rows.length === 0 ? html`<p class="empty">${t('receipt.notSent')}</p>` : table('deliveries', columns, rows)}
    ${
      usable.length > 0 &&
      html`<details>
        <summary>${t('receipt.channels')}</summary>
        <ul>
          ${usable}
        </ul>
      </details>`
    }
  </section>`;
}

const packetLink = ({ id }: PacketView, who: SignedIn) =>
  who.may('view.manage_mapping')
    ? html`<a href="${who.base}/portal/mappings/workbench?packet=${id}">${id}</a>`
    : id;

export function packetsOf(packets: readonly PacketView[], who: SignedIn): Html | undefined {
  if (packets.length === 0) return undefined;
  const { t, plural, time } = who.language;
  return html`<section class="card" aria-labelledby="packets">
    <h2 id="packets">${t('receipt.fromTill')}</h2>
    ${packets.map(
      (packet) =>
        html`<dl>
          ${fact(t('packet'), packetLink(packet, who))} ${fact(t('status'), t(`status.${packet.status}`))}
          ${fact(t('reason'), packet.reason && t(`packetReason.${packet.reason}`))}
          ${fact(t('received'), time(packet.received_timestamp, who.retailer.settings.timezone))}
          ${fact(t('receipt.attempts'), String(packet.attempts))} ${fact(t('type'), packet.content_type)}
          ${fact(t('receipt.size'), plural('bytes', packet.size))}
          ${fact(t('receipt.mapping'), packet.mapping && t('receipt.mappingVersion', packet.mapping))}
        </dl>`,
    )}
  </section>`;
}
