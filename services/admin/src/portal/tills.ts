import {
  receiptStoreContracts,
  type adminPages,
  type ReportedTill,
  type TillGaps,
} from '@receipts/contracts';
import type { Input } from '@receipts/kernel';
import { field, filterForm } from '../pages/form-fields';
import { html, type Html } from '@receipts/html';
import type { Language } from '../pages/language';
import { badge, table } from '../pages/table';
import type { HandlerOf, Portal } from './open-portal';
import { portalPage } from './page';
import { checkPermission, type SignedIn } from './signed-in';
import { withDates } from './with-dates';

type Query = Input<(typeof adminPages)['portalTills']>['query'];

const path = '/portal/tills';
/** The platform accepts a clock that is wrong by less: tokens have the same leeway. */
const clockErrorSecondsMax = 60;

function formOf(query: Query, { base, language: { t } }: SignedIn): Html {
  return filterForm({
    id: 'tills',
    title: t('menu.tills'),
    action: `${base}${path}`,
    fields: [
      field({ name: 'from', label: t('tills.gapsFrom'), type: 'date', value: query.from }),
      field({ name: 'to', label: t('to'), type: 'date', value: query.to }),
      field({ name: 'store', label: t('store'), value: query.store }),
    ],
    submit: t('show'),
  });
}

function clockText(seconds: number, { t, number }: Language): Html | false {
  if (Math.abs(seconds) < clockErrorSecondsMax) return false;
  const values = { seconds: number(Math.abs(Math.round(seconds))) };
  return html`<div>
    ${badge('bad', seconds > 0 ? t('tills.clockAhead', values) : t('tills.clockBehind', values))}
  </div>`;
}

function agentOf(
  { agent_version: version, waiting, clock_difference_s: clock }: ReportedTill,
  language: Language,
): Html | string {
  const { t, number } = language;
  if (version === null && waiting === null && clock === null) return t('none');
  return html`${version ?? ''}${
    waiting !== null &&
    waiting > 0 &&
    html`<div>${badge('warn', t('tills.waiting', { count: number(waiting) }))}</div>`
  }${clock !== null && clockText(clock, language)}`;
}

function tillsTable(tills: readonly ReportedTill[], { language, retailer }: SignedIn): Html {
  const { t, number, time, localTime } = language;
  const columns = [
    t('till'),
    t('store'),
    t('tills.lastReceived'),
    t('tills.lastSale'),
    { numbers: t('tills.receiptsToday') },
    { numbers: t('tills.failedToday') },
    t('tills.agent'),
  ];
  const rows = tills.map((till) => [
    till.till_uuid ?? t('noTill'),
    till.store_reference,
    time(till.last_received, retailer.settings.timezone),
    till.last_localtime === null ? t('never') : localTime(till.last_localtime),
    number(till.receipts_today),
    till.failed_packets_today > 0
      ? badge('bad', number(till.failed_packets_today))
      : number(till.failed_packets_today),
    agentOf(till, language),
  ]);
  return table('states', columns, rows);
}

function missingText({ missing, more }: TillGaps, { t, number }: Language): string {
  const ranges = missing.map(({ from, to }) =>
    from === to ? number(from) : t('tills.range', { from: number(from), to: number(to) }),
  );
  return [...ranges, ...(more ? [t('tills.more')] : [])].join(', ') || t('none');
}

function gapsTable(tills: readonly TillGaps[], { language }: SignedIn): Html {
  const { t, number } = language;
  const columns = [
    t('till'),
    t('store'),
    t('tills.missing'),
    ...[t('tills.received'), t('tills.repeated'), t('tills.restarts')].map((numbers) => ({ numbers })),
  ];
  const rows = tills.map((till) => [
    till.till_uuid ?? t('noTill'),
    till.store_reference,
    missingText(till, language),
    number(till.received),
    number(till.repeated),
    number(till.restarts),
  ]);
  return table('gaps', columns, rows);
}

async function resultOf({ ask }: Portal, who: SignedIn, { from, to, store }: Query): Promise<Html> {
  checkPermission(who, 'view.get_report');
  const { t } = who.language;
  const stores = store ? { store_reference: [store] } : {};
  const range = { ...(from && { from }), ...(to && { to }) };
  const [tills, gaps] = await Promise.all([
    ask(receiptStoreContracts.getTills, { query: stores }, who.call),
    ask(receiptStoreContracts.getGaps, { query: { ...stores, ...range } }, who.call),
  ]);
  const none = (text: string) => html`<p class="empty">${text}</p>`;
  return html`<section class="card" aria-labelledby="states">
      <h2 id="states">${t('tills.states')}</h2>
      ${tills.body.tills.length === 0 ? none(t('tills.none')) : tillsTable(tills.body.tills, who)}
    </section>
    <section class="card" aria-labelledby="gaps">
      <h2 id="gaps">${t('tills.gaps')}</h2>
      ${gaps.body.tills.length === 0 ? none(t('tills.noNumbers')) : gapsTable(gaps.body.tills, who)}
    </section>`;
}

/** The tills with what has arrived from them, and the numbers that are missing. */
export const portalTills = (deps: Portal): HandlerOf<'portalTills'> =>
  portalPage(deps, {
    title: 'menu.tills',
    menuPath: path,
    head: ({ query }, who) => formOf(withDates(query, who, deps.now()), who),
    result: ({ query }, who) => resultOf(deps, who, withDates(query, who, deps.now())),
  });
