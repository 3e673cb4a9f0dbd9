import * as contracts from './contracts';
import { publishedEventsOf } from '../shared/published-events';
import { attachmentCreated, posReceiptAccepted, posReceiptConverted, posReceiptFailed } from './events';

export * from './accept-packet';
export * from './attachment';
export { decodeBase64 } from './base64';
export * from './create-attachment';
export * from './describe-attachments';
export * from './events';
export * from './find-packet-state';
export * from './finish-packet';
export * from './get-attachment';
export * from './get-packet';
export * from './get-packet-raw';
export * from './store-attachments';
export * from './list-failed-packets';
export * from './list-packets';
export * from './packet';
export * from './packet-facts';
export * from './post-pos-data';
export * from './reprocess-packet';
export * from './reprocess-packets';

/** The commands and queries of ingest. The service does not compile unless it has a handler for each. */
export const ingestContracts = { ...contracts, ...publishedEventsOf('ingest') };

/** The events of ingest. */
export const ingestEvents = { posReceiptAccepted, posReceiptConverted, posReceiptFailed, attachmentCreated };
