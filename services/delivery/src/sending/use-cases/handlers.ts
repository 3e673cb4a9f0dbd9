import { idempotent } from '@receipts/host/open-service';
import { withRefusalPage } from '../../rendering/use-cases/refusal-page';
import { confirmChannelCallback } from './confirm-channel-callback';
import { eraseAddresses, type AddressErasure } from './erase-addresses';
import { listDeliveries } from './list-deliveries';
import { listSentReceipts } from './list-sent-receipts';
import { listWaitingDeliveries } from './list-waiting-deliveries';
import { receiveChannelReport } from './receive-channel-report';
import { sendReceipt } from './send-receipt';
import { showUnsubscribe, unsubscribe } from './unsubscribe';

type Parts = { readonly erasure: AddressErasure } & Parameters<typeof sendReceipt>[0] &
  Parameters<typeof listDeliveries>[0] &
  Parameters<typeof listWaitingDeliveries>[0] &
  Parameters<typeof receiveChannelReport>[0] &
  Parameters<typeof confirmChannelCallback>[0] &
  Parameters<typeof unsubscribe>[0];

/** Deliveries of receipts over channels, and actions of consumers and providers. */
export function sendingHandlers(parts: Parts) {
  const links = { ...parts, tokens: parts.unsubscribeTokens };
  return {
    sendReceipt: idempotent(sendReceipt(parts)),
    listDeliveries: listDeliveries(parts),
    listSentReceipts: listSentReceipts(parts),
    listWaitingDeliveries: listWaitingDeliveries(parts),
    eraseAddresses: eraseAddresses(parts.erasure),
    receiveChannelReport: receiveChannelReport(parts),
    confirmChannelCallback: confirmChannelCallback(parts),
    showUnsubscribe: withRefusalPage(links, showUnsubscribe(parts)),
    unsubscribe: withRefusalPage(links, unsubscribe(parts)),
  };
}
