import * as contracts from './contracts';
import { eventsFeedContracts } from '../events-feed';
import { webhookContracts } from '../webhooks';
import { webhookEvents } from '../webhooks/events';
import * as events from './events/delivery-events';
import { publishedEventsOf } from '../shared/published-events';
import { receiptViewed } from './events/view-events';

export { isPhoneNumber, mailAddressOf } from '../shared/addresses';
export { callbackNotSigned, channelAccountNotFound, malformedCallback } from './channel-callbacks';
export { channelNotAvailable, receiptToSendNotFound, tooManySends, type Delivery } from './delivery';
export { channels, type Channel } from '../shared/channels';
export { linkNotFound } from './receipt-links';
export { passNotAvailable } from './show-receipt-pass';
export { attachmentHref, linksTo, receiptLinks, type ReceiptLinks } from '../receipt/receipt-links';
export type { ProofPayload, PublicKey, Verification } from './proofs';
export type { SendReceipt } from './send-receipt';
export { receiptViewed, type Viewer } from './events/view-events';

/** The commands and queries of delivery. The service does not compile unless it has a handler for each. */
export const deliveryContracts = {
  ...contracts,
  ...webhookContracts,
  ...eventsFeedContracts,
  ...publishedEventsOf('delivery'),
};

/** The events of delivery. */
export const deliveryEvents = { ...events, receiptViewed, ...webhookEvents };
