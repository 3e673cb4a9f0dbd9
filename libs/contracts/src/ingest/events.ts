import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';
import { attachmentView } from './attachment';
import { failureReasons, mappingVersion, packetFault } from './packet';
import { packetMetadata } from './packet-facts';

const packet = z.object({
  id: z.string(),
  receipt_id: z.string(),
  content_type: z.string().nullable(),
  size: z.number().int(),
  metadata: packetMetadata,
  duplicate: z.boolean(),
});

export const posReceiptAccepted = defineEvent({
  type: 'pos_receipt.accepted',
  owner: 'ingest',
  collection: 'pos/packets',
  summary: 'A raw receipt was accepted',
  description: 'It is kept for good and will be converted.',
  data: packet,
});

export const posReceiptConverted = defineEvent({
  type: 'pos_receipt.converted',
  owner: 'ingest',
  collection: 'pos/packets',
  summary: 'A raw receipt was converted',
  description: 'The receipts exist; their own events tell what they are.',
  data: packet.extend({ mapping: mappingVersion.nullable(), receipt_ids: z.array(z.string()) }),
});

export const posReceiptFailed = defineEvent({
  type: 'pos_receipt.failed',
  owner: 'ingest',
  collection: 'pos/packets',
  summary: 'A raw receipt could not be converted',
  description: 'It is kept and can be converted again once the reason is mended.',
  data: packet.extend({
    mapping: mappingVersion.nullable(),
    reason: z.enum(failureReasons),
    errors: z.array(packetFault),
  }),
});

export const attachmentCreated = defineEvent({
  type: 'attachment.created',
  owner: 'ingest',
  collection: 'attachments',
  summary: 'An attachment was stored',
  description: 'It can be linked to receipts by its id.',
  data: attachmentView,
});
