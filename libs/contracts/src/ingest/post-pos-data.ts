import { defineCommand, json, wording } from '@receipts/kernel';
import { z } from 'zod';
import { dateTime } from '../receipt/fields';
import { nameText } from '../shared/names';
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
 * The older endpoint for raw receipts, which are read from a till's journal. An entry may be posted repeatedly with the
 * same source and entry id; it is converted only once.
 */
export const postPosData = defineCommand(
  {
    name: 'ingest.post-pos-data',
    summary: 'Post a POS data entry',
    description:
      'Takes a raw receipt inside JSON. Discouraged for new integrations: use POST /pos/receipts. ' +
      'The same `source_id` and `entry_id` posted again are accepted and not converted twice. ' +
      'An entry names no consumer, so that it is not for credentials that are confined to consumers.',
    permission: 'view.post_pos_data',
    http: { method: 'POST', path: '/pos/data', success: 204 },
    body: json(
      z.strictObject({
        source_id: name,
        source_read: dateTime,
        entry_id: name,
        store_reference: z.union([name, z.int().min(0)]),
        till_id: name,
        till_uuid: name,
        receipt: base64Text.min(1),
        duplicate: z.boolean().optional(),
        external_id: externalId.optional(),
        attachments: postedAttachments.optional(),
      }),
    ),
    errors: [unknownAttachment, duplicateExternalId],
  },
  { consumerOf: () => undefined },
);
