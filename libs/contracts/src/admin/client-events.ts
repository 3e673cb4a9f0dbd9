import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';
import { authentications, clientSettings } from './client';

/** A client without its secret. `previous_key` is set if the change replaced the client's key. */
const clientEventData = z.object({
  id: z.int(),
  authentication: z.enum(authentications),
  description: z.string(),
  key: z.string(),
  previous_key: z.string().nullable(),
  permissions: z.array(z.string()),
  revoked: z.boolean(),
  signature_max_age: z.int().nullable(),
  settings: clientSettings,
  version: z.int(),
});

export type ClientEventData = z.output<typeof clientEventData>;

const clientEvent = <T extends `client.${string}`>(type: T, summary: string, description: string) =>
  defineEvent({ type, owner: 'admin', collection: 'clients', summary, description, data: clientEventData });

export const clientCreated = clientEvent(
  'client.created',
  'A client was created',
  'It may sign requests from now on.',
);

export const clientUpdated = clientEvent(
  'client.updated',
  'A client was changed',
  'Its permissions, key, settings or limits changed, it was given back its access, or tokens of it were revoked.',
);

export const clientRevoked = clientEvent(
  'client.revoked',
  'A client was revoked',
  'None of its tokens and signatures is accepted any more.',
);
