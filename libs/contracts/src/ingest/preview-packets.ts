import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';

export const previewsMax = 100;
export const previewCharactersMax = 2_000;

/** The beginnings of several packets, so that a list does not have to transfer all of their data. */
export const previewPackets = defineQuery({
  name: 'ingest.preview-packets',
  summary: 'Get the beginning of the data of several packets as text',
  description:
    'Each preview has at most 2,000 characters. It is `null` if the data was deleted, or if there is no such packet.',
  permission: 'view.get_packet',
  body: z.object({ ids: z.array(z.string()).max(previewsMax) }),
  output: z.object({ previews: z.array(z.string().max(previewCharactersMax).nullable()) }),
});
