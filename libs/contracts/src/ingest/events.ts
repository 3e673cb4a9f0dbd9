import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';
import { attachmentView } from './attachment';
import { convertedBy, failureReason, packetFaults, packetFields, packetReceiptIds } from './packet-fields';

const packet = z.object(packetFields);

export const posReceiptAccepted = defineEvent({
  type: 'pos_receipt.accepted',
  owner: 'ingest',
  collection: 'pos/packets',
  summary: 'A raw receipt was accepted',
  description: 'The raw data is stored and will be converted.',
  data: packet,
});

export const posReceiptConverted = defineEvent({
  type: 'pos_receipt.converted',
  owner: 'ingest',
  collection: 'pos/packets',
  summary: 'A raw receipt was converted',
  description: 'The receipts are stored. `receipt.created` is published for each of them.',
  data: packet.extend({ mapping: convertedBy, receipt_ids: packetReceiptIds }),
});

export const posReceiptFailed = defineEvent({
  type: 'pos_receipt.failed',
  owner: 'ingest',
  collection: 'pos/packets',
  summary: 'A raw receipt could not be converted',
  description:
    'The raw data is kept until it is deleted, and can be converted again once the cause is fixed.',
  data: packet.extend({
    mapping: convertedBy,
    reason: failureReason,
    errors: packetFaults,
  }),
});

export const attachmentCreated = defineEvent({
  type: 'attachment.created',
  owner: 'ingest',
  collection: 'attachments',
  summary: 'An attachment was stored',
  description: 'Receipts can reference the attachment by its id.',
  data: attachmentView,
});
