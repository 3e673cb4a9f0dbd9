import {
  adminContracts,
  authentications,
  deliveryContracts,
  receiptStoreContracts,
  type Delivery,
} from '@receipts/contracts';
import type { ReceivedReply } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { postForm, textField } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { messageKey } from '../../pages/language';
import { orUndefined } from '../../pages/refusal';
import { table } from '../../pages/table';
import type { Portal } from '../open-portal';
import type { SignedIn } from '../signed-in';

type History = ReceivedReply<typeof receiptStoreContracts.getReceiptHistory>['body'];
type Views = ReceivedReply<typeof deliveryContracts.getReceiptViews>['body'];

/** What happened to a receipt; each part is undefined if its owner does not answer. */
export interface ReceiptPast {
  readonly history: History | undefined;
  readonly views: Views | undefined;
  /** The names of the persons and systems that acted, by principal. */
  readonly names: ReadonlyMap<string, string>;
}

/** The name of a principal such as `portal-user:7` or `bearer:3`; undefined for the platform's own services. */
async function nameOf(
  { ask, records }: Portal,
  { call, retailer }: SignedIn,
  principal: string,
): Promise<string | undefined> {
  const [kind = '', number = ''] = principal.split(':');
  const id = Number(number);
  if (!Number.isSafeInteger(id) || id <= 0) return undefined;
  if (kind === 'portal-user') {
    return (await records.findUserById(retailer.id, id, deadlineSignal(call)))?.email;
  }
  const authentication = authentications.find((one) => one === kind);
  if (authentication === undefined) return undefined;
  const params = { authentication, client_id: String(id) };
  return (await orUndefined(ask(adminContracts.getClient, { params }, call)))?.body.description;
}

export async function pastOf(deps: Portal, who: SignedIn, id: string): Promise<ReceiptPast> {
  const { ask } = deps;
  const params = { id };
  const [history, views] = await Promise.all([
    orUndefined(ask(receiptStoreContracts.getReceiptHistory, { params }, who.call)),
    orUndefined(ask(deliveryContracts.getReceiptViews, { params }, who.call)),
  ]);
  const { changes = [], notes = [] } = history?.body ?? {};
  const principals = new Set([...changes, ...notes].flatMap(({ by }) => by ?? []));
  const named = await Promise.all(
    [...principals].map(async (by): Promise<[string, string][]> => {
      const name = await nameOf(deps, who, by);
      return name === undefined ? [] : [[by, name]];
    }),
  );
  return { history: history?.body, views: views?.body, names: new Map(named.flat()) };
}

interface Entry {
  readonly at: string;
  readonly what: string;
  readonly by: string;
}

/** Changes, deliveries and views in one list, oldest first. */
function entriesOf(past: ReceiptPast, deliveries: readonly Delivery[], { language }: SignedIn): Entry[] {
  const { t, plural } = language;
  const { history, views, names } = past;
  const changes = (history?.changes ?? []).map(({ type, timestamp, by }) => ({
    at: timestamp,
    what: t(messageKey(`history.${type}`) ?? 'history.receipt.updated'),
    by: by === null ? '' : (names.get(by) ?? ''),
  }));
  const sent = deliveries.map((delivery) => ({
    at: delivery.requested_timestamp,
    what: `${t(`channel.${delivery.channel}`)}: ${t(`status.${delivery.status}`)}`,
    by: delivery.address,
  }));
  const seen =
    views && views.last_timestamp !== null
      ? [{ at: views.last_timestamp, what: plural('history.seen', views.persons), by: '' }]
      : [];
  return [...changes, ...sent, ...seen].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

export function historyView(past: ReceiptPast, deliveries: readonly Delivery[], who: SignedIn): Html {
  const { t, time } = who.language;
  const rows = entriesOf(past, deliveries, who).map(({ at, what, by }) => [
    time(at, who.retailer.settings.timezone),
    html`${what}${by !== '' && html`<small>${by}</small>`}`,
  ]);
  return html`<section class="card" aria-labelledby="history">
    <h2 id="history">${t('history')}</h2>
    ${rows.length === 0 ? html`<p class="empty">${t('history.unknown')}</p>` : table('history', [t('time'), t('history.what')], rows)}
  </section>`;
}

/** What staff wrote about the receipt, and a form for another note. */
export function notesView({ history, names }: ReceiptPast, id: string, who: SignedIn): Html {
  const { t, time } = who.language;
  const notes = history?.notes ?? [];
  return html`<section class="card" aria-labelledby="notes">
    <h2 id="notes">${t('notes')}</h2>
    ${notes.length === 0 && html`<p class="empty">${t('notes.none')}</p>`}
    ${notes.map(
      ({ text, timestamp, by }) =>
        html`<p class="note">
          ${text}<small>${time(timestamp, who.retailer.settings.timezone)}, ${names.get(by) ?? by}</small>
        </p>`,
    )}
    ${
      who.may('view.patch_receipt') &&
      postForm(
        `${who.base}/portal/receipts/${id}/actions`,
        who.session.csrf,
        html`${textField({ name: 'text', label: t('notes.new'), hint: t('notes.hint') })}
          <button class="quiet" name="action" value="note">${t('notes.add')}</button>`,
      )
    }
  </section>`;
}
