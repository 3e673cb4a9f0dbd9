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

type Dependencies = { readonly erasure: AddressErasure } & Parameters<typeof sendReceipt>[0] &
  Parameters<typeof listDeliveries>[0] &
  Parameters<typeof listWaitingDeliveries>[0] &
  Parameters<typeof receiveChannelReport>[0] &
  Parameters<typeof confirmChannelCallback>[0] &
  Parameters<typeof unsubscribe>[0];

/** Deliveries of receipts over channels, and actions of consumers and providers. */
export function sendingHandlers(deps: Dependencies) {
  const links = { ...deps, tokens: deps.unsubscribeTokens };
  return {
    sendReceipt: idempotent(sendReceipt(deps)),
    listDeliveries: listDeliveries(deps),
    listSentReceipts: listSentReceipts(deps),
    listWaitingDeliveries: listWaitingDeliveries(deps),
    eraseAddresses: eraseAddresses(deps.erasure),
    receiveChannelReport: receiveChannelReport(deps),
    confirmChannelCallback: confirmChannelCallback(deps),
    showUnsubscribe: withRefusalPage(links, showUnsubscribe(deps)),
    unsubscribe: withRefusalPage(links, unsubscribe(deps)),
  };
}
