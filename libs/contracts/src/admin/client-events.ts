import { defineEvent } from '@receipts/kernel';
import { z } from 'zod';
import { authentications } from '../shared/authentications';
import { client } from './client';

/** A client without its secret. `previous_key` is set if the change replaced the client's key. */
const clientEventData = client.extend({
  authentication: z
    .enum(authentications)
    .describe('How the client authenticates: with `bearer` tokens or `hmac` URL signatures.'),
  previous_key: z.string().nullable().describe('The replaced key; `null` if the key has not changed.'),
  signature_max_age: z
    .int()
    .nullable()
    .describe('The maximum time until a URL signature expires, in seconds; `null` for `bearer`.'),
  version: z.int().describe('The version of the client, from 1. It increases with every change.'),
});

export type ClientEventData = z.output<typeof clientEventData>;

const clientEvent = <T extends `client.${string}`>(type: T, summary: string, description: string) =>
  defineEvent({ type, owner: 'admin', collection: 'clients', summary, description, data: clientEventData });

export const clientCreated = clientEvent(
  'client.created',
  'A client was created',
  'The client can now authenticate requests.',
);

export const clientUpdated = clientEvent(
  'client.updated',
  'A client was changed',
  'The description, permissions, key, settings or limit of the client changed, its revocation was lifted, or tokens were revoked.',
);

export const clientRevoked = clientEvent(
  'client.revoked',
  'A client was revoked',
  'All tokens and signatures of the client are rejected from now on.',
);
