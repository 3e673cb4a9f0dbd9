import { deliveryContracts, receiptStoreContracts } from '@receipts/contracts';
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
import { receiptsPath } from './receipts-path';

const sentPath = '/portal/receipts/sent';
/** Sends the chosen receipts again to the addresses that are known, and shows what becomes of each. */
export const portalSendReceipts = (deps: Portal): HandlerOf<'portalSendReceipts'> => {
  const title = (who: SignedIn) => who.language.t('several.send');
  const send = (id: string, call: Call) =>
    deps.ask(deliveryContracts.sendReceipt, { body: { id, channels: ['email'] } }, call);
  return (input, call) =>
    portalForm(deps, input, call, {
      permission: 'view.send_receipt',
      act: async (who) => {
        return redirectTo(`${sentPath}?${await startForEach(input.body.ids, send, who)}`);
      },
      refused: async (who, fault) =>
        pageFor(
          who,
          { title: title(who), main: refusedPage(title(who), fault, who), menuPath: receiptsPath },
          fault.status,
        ),
    });
};

async function rowOf(
  { ask }: Portal,
  { base, call, language }: SignedIn,
  id: string,
  rejection: string | undefined,
): Promise<ProgressRow> {
  const { t } = language;
  const params = { id };
  const [receipt, sent] = await Promise.all([
    orUndefined(ask(receiptStoreContracts.getReceipt, { params, query: {} }, call)),
    orUndefined(ask(deliveryContracts.listDeliveries, { params, query: {} }, call)),
  ]);
  const name = html`<a href="${base}/portal/receipts/${id}">${receipt?.body.transaction_id ?? id}</a>`;
  const { deliveries = [], explain = [] } = sent?.body ?? {};
  if (rejection !== undefined || !receipt) {
    const failed = explain.find(({ channel, passed }) => channel === 'email' && !passed);
    const key = (failed && messageKey(`send.${failed.step}`)) ?? messageKey(`fault.${rejection}`);
    return { name, state: 'failed', result: t(key ?? 'several.rejected') };
  }
  const [latest] = deliveries;
  if (!latest || latest.status === 'pending') return { name, state: 'waiting', result: t('status.pending') };
  const state = latest.status === 'sent' ? 'done' : 'failed';
  return { name, state, result: t(`status.${latest.status}`) };
}

/** What became of receipts that were sent together. */
export const portalSentReceipts = (deps: Portal): HandlerOf<'portalSentReceipts'> =>
  permittedPage(deps, 'view.send_receipt', async (who, { query }) => {
    checkPermission(who, 'view.get_receipt');
    const rejections = rejectionsIn(query.rejected);
    const rows = await Promise.all(
      chosenIds(query.ids).map((id) => rowOf(deps, who, id, rejections.get(id))),
    );
    const { t } = who.language;
    return progressPage(
      { title: t('several.send'), menuPath: receiptsPath, path: sentPath, column: t('receipt'), rows },
      who,
    );
  });
