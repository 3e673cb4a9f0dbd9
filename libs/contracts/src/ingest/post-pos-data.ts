import { defineCommand, json, wording } from '@receipts/kernel';
import { z } from 'zod';
import { dateTime } from '../receipt/fields';
import { nameText } from '../shared/key-text';
import { postedAttachments } from '../receipt/posted-attachments';
import { duplicateExternalId } from '../receipt/errors';
import { base64Text } from './base64';
import { metadataCharactersMax, readExternalId } from './packet-facts';
import { unknownAttachment } from './attachment';

const name = nameText(metadataCharactersMax);
const externalId = z.string().refine((text) => readExternalId(text) !== undefined, {
  message: wording.uuidV4,
  params: { code: 'invalid_format' },
});

/**
 * The older endpoint for packets, which are read from a till's journal. An entry may be posted repeatedly with the
 * same source and entry id; it is converted only once.
 */
export const postPosData = defineCommand({
  name: 'ingest.post-pos-data',
  summary: 'Post a POS data entry',
  description:
    'Accepts a raw receipt inside JSON. Discouraged for new integrations: use `POST /pos/receipts`. ' +
    'An entry with the same `source_id` and `entry_id` can be posted again and is converted only once. ',
  permission: 'view.post_pos_data',
  http: { method: 'POST', path: '/pos/data', success: 204 },
  body: json(
    z.strictObject({
      source_id: name.describe('The source of the entry.'),
      source_read: dateTime.describe('When the entry was created at its source, ISO 8601.'),
      entry_id: name.describe('The id of the entry at its source. An entry is converted only once.'),
      store_reference: z
        .union([name, z.int().min(0)])
        .describe('The store of the entry: its `reference` or its `external_reference`.'),
      till_id: name.describe('The name of the till that created the entry.'),
      till_uuid: name.describe('The id of the till that created the entry.'),
      receipt: base64Text.min(1).describe('The raw receipt in base64.'),
      duplicate: z
        .boolean()
        .optional()
        .describe('Whether the entry is another copy of a receipt. Defaults to `false`.'),
      external_id: externalId.optional().describe('A UUIDv4 of your choice, unique per retailer.'),
      attachments: postedAttachments.optional(),
    }),
  ),
  errors: [unknownAttachment, duplicateExternalId],
});
