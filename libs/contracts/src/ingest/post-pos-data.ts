import { defineCommand, json } from '@receipts/kernel';
import { z } from 'zod';
import {
  attachmentLabelPattern,
  attachmentLabelsMax,
  metadataCharactersMax,
  readExternalId,
} from './packet-facts';
import { inlineAttachmentBytesMax, unknownAttachment } from './attachment';

/** The bytes of strict base64 (RFC 4648 section 4, with padding), or undefined. */
export function decodeBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0) return undefined;
  const decoded = Buffer.from(text, 'base64');
  return decoded.toString('base64') === text ? decoded : undefined;
}

const name = z.string().min(1).max(metadataCharactersMax);
const base64 = z.string().refine((text) => decodeBase64(text) !== undefined, {
  message: 'must be base64',
  params: { code: 'invalid_format' },
});
const externalId = z.string().refine((text) => readExternalId(text) !== undefined, {
  message: 'must be a UUIDv4',
  params: { code: 'invalid_format' },
});

const linkedAttachment = z.strictObject({ id: z.string().min(1).max(64) });
const inlineAttachment = z.strictObject({
  data: base64,
  content_type: z.string().min(1).max(255).optional(),
  content_disposition: z.string().min(1).max(1024).optional(),
});

function inlineBytes(attachments: Readonly<Record<string, unknown>>): number {
  let bytes = 0;
  for (const attachment of Object.values(attachments)) {
    const data: unknown = (attachment as { data?: unknown }).data;
    if (typeof data === 'string') bytes += Math.floor((data.length * 3) / 4);
  }
  return bytes;
}

/** Label to attachment: one that exists, by its id, or the bytes themselves. */
export const attachmentsByLabel = z
  .record(z.string().regex(attachmentLabelPattern), z.union([linkedAttachment, inlineAttachment]))
  .refine((labels) => Object.keys(labels).length <= attachmentLabelsMax, {
    message: `must have at most ${attachmentLabelsMax} labels`,
    params: { code: 'out_of_range' },
  })
  .refine((labels) => inlineBytes(labels) <= inlineAttachmentBytesMax, {
    message: 'the inline data is larger than 1 MiB together',
    params: { code: 'out_of_range' },
  });
export type AttachmentsByLabel = z.output<typeof attachmentsByLabel>;

/**
 * The older way to hand over a raw receipt, for entries that were read from a till's journal. The same entry of the same
 * source may be posted again: it is converted once.
 */
export const postPosData = defineCommand({
  name: 'ingest.post-pos-data',
  summary: 'Post a POS data entry',
  description:
    'Takes a raw receipt inside JSON. Discouraged for new integrations: use POST /pos/receipts. ' +
    'The same `source_id` and `entry_id` posted again are accepted and not converted twice.',
  permission: 'view.post_pos_data',
  http: { method: 'POST', path: '/pos/data', success: 204 },
  body: json(
    z.strictObject({
      source_id: name,
      source_read: z.iso.datetime({ offset: true, local: true }),
      entry_id: name,
      store_reference: z.union([name, z.int().min(0)]),
      till_id: name,
      till_uuid: name,
      receipt: base64.min(1),
      duplicate: z.boolean().optional(),
      external_id: externalId.optional(),
      attachments: attachmentsByLabel.optional(),
    }),
  ),
  errors: [
    unknownAttachment,
    {
      status: 409,
      code: 'duplicate_external_id',
      description: 'the external id was used with another receipt',
    },
  ],
});
