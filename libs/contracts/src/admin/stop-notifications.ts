import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';

/** Unsubscribing by the link of an e-mail, for which nobody has to sign in (RFC 8058). */
export const stopNotifications = defineCommand({
  name: 'admin.stop-notifications',
  summary: 'Stop all e-mails about the business to a portal user',
  description: 'Internal. Does nothing if there is no such user, or the user gets none.',
  body: z.object({ id: z.int() }),
  output: z.object({}),
});
