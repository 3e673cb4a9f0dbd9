import { deliveryFailed, deliveryRequested, deliverySent, deliverySuppressed } from './events';
import { listDeliveries } from './list-deliveries';
import { sendReceipt } from './send-receipt';

export {
  channelNotAvailable,
  channels,
  mailPattern,
  phonePattern,
  receiptToSendNotFound,
  type Channel,
  type Delivery,
} from './delivery';
export type { SendReceipt } from './send-receipt';

/** What delivery answers. A contract that stands here has a handler there, or the service does not compile. */
export const deliveryContracts = { sendReceipt, listDeliveries };

/** What delivery tells the world. */
export const deliveryEvents = { deliveryRequested, deliverySent, deliveryFailed, deliverySuppressed };
