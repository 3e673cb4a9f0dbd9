import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { portalLanguages } from '../shared/portal-languages';
import { notificationTypes } from './notifications';
import { snapshotNext, snapshotPage } from './snapshot';

const notifiedUser = z.object({
  retailer: z.string(),
  id: z.int(),
  email: z.string(),
  /** The chosen types for which the user has the permission. */
  types: z.array(z.enum(notificationTypes)),
  /** The references of the stores that the user may see and has chosen; null for all stores of the retailer. */
  stores: z.array(z.string()).nullable(),
  failing_checks_percent: z.int(),
  language: z.enum(portalLanguages),
  /** The URL with which the user stops all e-mails. It does not expire. */
  unsubscribe: z.string(),
});
export type NotifiedUser = z.output<typeof notifiedUser>;

/**
 * The sender of e-mails asks before it plans and again before it sends, and keeps no copy: a user who was disabled or
 * lost a permission gets no further e-mail.
 */
export const listNotifiedUsers = defineQuery({
  name: 'admin.list-notified-users',
  summary: 'List the portal users who get e-mails about the business',
  description:
    'Internal. Returns active users only, of one retailer or of all, and at most one if `id` is given.',
  body: snapshotPage.extend({ retailer: z.string().optional(), id: z.int().optional() }),
  output: z.object({ users: z.array(notifiedUser), next: snapshotNext }),
});
