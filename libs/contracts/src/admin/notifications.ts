import { z } from 'zod';
import { portalLanguages } from '../shared/portal-languages';
import { portalStoresField } from './portal-stores';

/** The e-mails that portal users can get, each with the permission that it needs. */
export const notificationPermissions = {
  daily_totals: 'view.get_report',
  silent_tills: 'view.get_report',
  failed_packets: 'view.get_packet',
  disabled_webhooks: 'view.manage_webhook',
  failing_checks: 'view.search_receipt',
} as const;

export const notificationTypes = [
  'daily_totals',
  'silent_tills',
  'failed_packets',
  'disabled_webhooks',
  'failing_checks',
] as const satisfies readonly (keyof typeof notificationPermissions)[];
export type NotificationType = (typeof notificationTypes)[number];

export const failingChecksPercentDefault = 5;

const typesField = z.array(z.enum(notificationTypes)).max(20);

/** Which e-mails a portal user gets, as posted. */
export const postedNotifications = z.strictObject({
  types: typesField.describe(
    'The e-mails: `daily_totals` after each day, with the totals per store; `silent_tills` if a till has stopped sending, and when it sends again, see the retailer setting `tills.silent_after_minutes`; `failed_packets` if raw receipts could not be converted; `disabled_webhooks` if the platform disabled a webhook endpoint; `failing_checks` if many receipts do not add up. Types for which the user has no permission have no effect.',
  ),
  stores: portalStoresField
    .optional()
    .describe(
      'The stores that the e-mails are about, each a `reference` or an `external_reference`; `null` for all stores that the user may see. The user never gets figures of other stores. Defaults to `null`.',
    ),
  failing_checks_percent: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'The share of the receipts of an hour, in percent, above which `failing_checks` is sent. At least three receipts must fail. Defaults to 5.',
    ),
  language: z
    .enum(portalLanguages)
    .optional()
    .describe('The language of the e-mails. Defaults to that of the retailer.'),
});
export type PostedNotifications = z.output<typeof postedNotifications>;

/** Which e-mails a portal user gets, as stored. */
export const notifications = z.object({
  types: typesField.describe('The types of the e-mails.'),
  stores: z
    .array(z.string())
    .nullable()
    .describe(
      'The references of the stores that the e-mails are about; `null` for all that the user may see.',
    ),
  failing_checks_percent: z
    .int()
    .describe('The share of failing receipts, in percent, above which an e-mail is sent.'),
  language: z
    .enum(portalLanguages)
    .nullable()
    .describe('The language of the e-mails; `null` for that of the retailer.'),
});
export type Notifications = z.output<typeof notifications>;
