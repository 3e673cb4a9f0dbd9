import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';

/** Users of the portal save searches, which may name a consumer. */
export const eraseSearches = defineCommand({
  name: 'admin.erase-searches',
  summary: 'Delete saved searches that name a consumer',
  description: "Internal. Deletes the saved searches of the portal's users that contain one of the texts.",
  body: z.object({
    /** The consumer's identifier and addresses. */
    texts: z.array(z.string().min(1)).max(20),
  }),
});
