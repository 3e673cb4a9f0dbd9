import { z } from 'zod';

/** What the gateway tells of an action of the operator: first that it begins, then how it ended. */
export const notedAction = z.object({
  id: z.string().max(64),
  /** Epoch milliseconds. */
  at: z.int(),
  operator: z.string(),
  address: z.string(),
  operation: z.string(),
  method: z.string(),
  path: z.string(),
  retailer: z.string().nullable(),
  fields: z.array(z.string()),
  request_id: z.string(),
  /** Undefined while it is not known. */
  status: z.int().optional(),
});
export type NotedAction = z.output<typeof notedAction>;
