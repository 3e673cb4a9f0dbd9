import { eventsFeedContracts } from '../events-feed';
import { webhookContracts } from '../webhooks';
import { webhookEvents } from '../webhooks/events';
import { catchUpDeliveries } from './catch-up-deliveries';
import { confirmChannelCallback, receiveChannelReport } from './channel-callbacks';
import {
  deliveryFailed,
  deliveryRequested,
  deliverySent,
  deliverySuppressed,
} from './events/delivery-events';
import { eraseAddresses } from './erase-addresses';
import { getReceiptLinks } from './get-receipt-links';
import { listDeliveries } from './list-deliveries';
import { listWaitingDeliveries } from './list-waiting-deliveries';
import {
  getReceiptProof,
  listSigningKeys,
  rotateSigningKeys,
  showReceiptProof,
  showVerification,
  verifyProof,
} from './proofs';
import { renderReceipt } from './render-receipt';
import { revokeReceiptLinks } from './revoke-receipt-links';
import { sendReceipt } from './send-receipt';
import { showReceipt } from './show-receipt';
import { showReceiptAttachment } from './show-receipt-attachment';
import { showReceiptPdf } from './show-receipt-pdf';
import { showReceiptQr } from './show-receipt-qr';
import { showUnsubscribe, unsubscribe } from './unsubscribe';
import { publishedEventsOf } from '../shared/published-events';
import { receiptViewed } from './events/view-events';

export { isPhoneNumber, mailAddressOf } from '../shared/addresses';
export { callbackNotSigned, channelAccountNotFound, malformedCallback } from './channel-callbacks';
export { channelNotAvailable, receiptToSendNotFound, tooManySends, type Delivery } from './delivery';
export { channels, type Channel } from '../shared/channels';
export { linkNotFound } from './receipt-links';
export { attachmentHref, linksTo, receiptLinks, type ReceiptLinks } from '../receipt/receipt-links';
export type { ProofPayload, PublicKey, Verification } from './proofs';
export type { SendReceipt } from './send-receipt';
export { receiptViewed, type Viewer } from './events/view-events';

/** The commands and queries of delivery. The service does not compile unless it has a handler for each. */
export const deliveryContracts = {
  sendReceipt,
  listDeliveries,
  listWaitingDeliveries,
  eraseAddresses,
  receiveChannelReport,
  confirmChannelCallback,
  getReceiptLinks,
  revokeReceiptLinks,
  renderReceipt,
  showReceipt,
  showReceiptPdf,
  showReceiptAttachment,
  showReceiptQr,
  getReceiptProof,
  showReceiptProof,
  listSigningKeys,
  rotateSigningKeys,
  showVerification,
  verifyProof,
  showUnsubscribe,
  unsubscribe,
  catchUpDeliveries,
  ...webhookContracts,
  ...eventsFeedContracts,
  ...publishedEventsOf('delivery'),
};

/** The events of delivery. */
export const deliveryEvents = {
  deliveryRequested,
  deliverySent,
  deliveryFailed,
  deliverySuppressed,
  receiptViewed,
  ...webhookEvents,
};
