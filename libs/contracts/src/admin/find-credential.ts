import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { credential } from './client';

/** The credential of one key: asked after an event about it, and for a key that a gateway has never seen. */
export const findCredential = defineQuery({
  name: 'admin.find-credential',
  summary: 'Find a credential by its key',
  description: 'Internal. The secret is sealed with the master key.',
  body: z.object({ key: z.string() }),
  output: z.object({ credential: credential.nullable() }),
});
