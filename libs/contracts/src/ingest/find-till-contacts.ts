import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { timestampField } from '../shared/fields';

const contact = z.object({
  /** As in the metadata of the packets, at least one of both. */
  store_reference: z.string().nullable(),
  till_uuid: z.string().nullable(),
  /** When the till agent, or raw data that failed, was last heard of. */
  last_received: timestampField,
  agent: z
    .object({
      version: z.string().nullable(),
      waiting: z.int().nullable(),
      clock_difference_s: z.number().nullable(),
    })
    .nullable(),
  /** When each failed packet since the given time arrived. */
  failed: z.array(timestampField),
});
export type TillContact = z.output<typeof contact>;

/** What packets say about their tills, besides the receipts themselves. */
export const findTillContacts = defineQuery({
  name: 'ingest.find-till-contacts',
  summary: 'Find till agents and failed raw receipts by till',
  description: 'Internal. Returns at most the 10,000 newest failures since a time.',
  body: z.object({ since: timestampField }),
  output: z.object({ contacts: z.array(contact) }),
});
