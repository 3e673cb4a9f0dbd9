import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { credential } from './client';
import { snapshotNext, snapshotPage } from './snapshot';

/** A snapshot of all credentials, including revoked credentials. Gateways copy it. */
export const listCredentials = defineQuery({
  name: 'admin.list-credentials',
  summary: 'Get a snapshot of credentials',
  description: 'Internal. Secrets are encrypted with the master key.',
  body: snapshotPage,
  output: z.object({ credentials: z.array(credential), next: snapshotNext }),
});
