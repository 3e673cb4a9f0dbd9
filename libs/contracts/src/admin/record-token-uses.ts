import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';

const tokenUse = z.object({
  retailer: z.string(),
  client_id: z.int(),
  jti: z.string().max(64),
  /** Epoch milliseconds. */
  at: z.int(),
});
export type TokenUse = z.output<typeof tokenUse>;

/**
 * Records when tokens were last used. Gateways collect the uses and report them in batches; losing some is acceptable.
 */
export const recordTokenUses = defineCommand({
  name: 'admin.record-token-uses',
  summary: 'Record when tokens were last used',
  description: 'Internal. Times are epoch milliseconds; a time earlier than the stored time has no effect.',
  body: z.object({ uses: z.array(tokenUse).max(1000) }),
});
