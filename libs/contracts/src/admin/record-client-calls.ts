import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';

/** The number of calls kept for each client. */
export const clientCallsMax = 50;

const clientCall = z.object({
  /** Epoch milliseconds. */
  at: z.int(),
  method: z.string(),
  /** The pattern of the route. */
  route: z.string(),
  status: z.int(),
  request_id: z.string(),
});
export type ClientCall = z.output<typeof clientCall>;

const clientCalls = z.object({
  retailer: z.string(),
  /** `bearer:7`, `hmac:3`. */
  client: z.string(),
  /** Oldest first. */
  calls: z.array(clientCall).max(clientCallsMax),
});
export type ClientCalls = z.output<typeof clientCalls>;

/**
 * Records each client's most recent calls, which the portal shows. Gateways report them in batches; losing some is
 * acceptable.
 */
export const recordClientCalls = defineCommand({
  name: 'admin.record-client-calls',
  summary: 'Record the last calls of clients',
  description: `Internal. Admin keeps the last ${clientCallsMax} calls of each client.`,
  body: z.object({ clients: z.array(clientCalls).max(200) }),
});
