import { z } from 'zod';

/** An operator's action as reported by the gateway, once before it starts and once when it has ended. */
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
  /** Undefined before the action has ended. */
  status: z.int().optional(),
});
export type NotedAction = z.output<typeof notedAction>;
