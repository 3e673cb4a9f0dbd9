/** What receipt-store answers. A contract that stands here has a handler there, or the service does not compile. */
export const receiptStoreContracts = {};

/** What receipt-store tells the world. */
export const receiptStoreEvents = {};
