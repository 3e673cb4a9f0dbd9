import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { credential } from './client';

/** A gateway reads a credential after an event about that credential, or when a request has an unknown key. */
export const findCredential = defineQuery({
  name: 'admin.find-credential',
  summary: 'Find a credential by its key',
  description: 'Internal. The secret is encrypted with the master key.',
  body: z.object({ key: z.string() }),
  output: z.object({ credential: credential.nullable() }),
});
