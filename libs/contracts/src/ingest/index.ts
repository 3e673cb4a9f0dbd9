import { publishedEventsOf } from '../shared/published-events';
import { acceptPacket } from './accept-packet';
import { createAttachment } from './create-attachment';
import { describeAttachments } from './describe-attachments';
import { attachmentCreated, posReceiptAccepted, posReceiptConverted, posReceiptFailed } from './events';
import { findPacketState } from './find-packet-state';
import { finishPacket } from './finish-packet';
import { getAttachment } from './get-attachment';
import { getPacket } from './get-packet';
import { getPacketRaw } from './get-packet-raw';
import { storeAttachments } from './store-attachments';
import { listFailedPackets } from './list-failed-packets';
import { listPackets } from './list-packets';
import { postPosData } from './post-pos-data';
import { reprocessPacket } from './reprocess-packet';
import { reprocessPackets } from './reprocess-packets';

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
export const ingestContracts = {
  acceptPacket,
  postPosData,
  finishPacket,
  findPacketState,
  describeAttachments,
  storeAttachments,
  createAttachment,
  getAttachment,
  listPackets,
  listFailedPackets,
  getPacket,
  getPacketRaw,
  reprocessPacket,
  reprocessPackets,
  ...publishedEventsOf('ingest'),
};

/** The events of ingest. */
export const ingestEvents = { posReceiptAccepted, posReceiptConverted, posReceiptFailed, attachmentCreated };
