import { z } from 'zod';

/** How operators sign in to the operations pages without a token. */
export const operatorSignIn = z.strictObject({
  identity_provider: z.string().regex(/^[a-z0-9-]{1,40}$/),
  emails: z.array(z.email().transform((email) => email.toLowerCase())).min(1),
});

export type OperatorSignIn = z.output<typeof operatorSignIn>;
