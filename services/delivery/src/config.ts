import {
  brokerSettings,
  commonSettings,
  flagSetting,
  idSettings,
  optionalSetting,
  publicSettings,
  readSettings,
  sealingSettings,
  storeSettings,
  textSetting,
  urlSetting,
} from '@receipts/host';
import { z } from 'zod';
import { channelAccounts } from './sending/channels/accounts';

const sendingSettings = {
  SMTP_URL: optionalSetting(
    urlSetting({
      protocols: ['smtp', 'smtps'],
      description:
        'The mail server. Without it the channel e-mail is not available, unless MAIL_FILES is set.',
    }),
  ),
  MAIL_FILES: flagSetting({
    default: false,
    description:
      "Whether mails are written as .eml files under DATA_DIR/mail, and called sent, where there is no mail server. For a developer's machine.",
  }),
  DATA_DIR: textSetting({
    default: '.data',
    description: 'Where mails are written when MAIL_FILES is set.',
  }),
  RETRY_UNCONFIRMED_DELIVERIES: flagSetting({
    default: false,
    description:
      'Whether to send again what was handed over without an answer, at the risk that it arrives twice. Otherwise such a delivery fails with `outcome_unknown`.',
  }),
  MAIL_FROM: textSetting({
    default: 'receipts@localhost.localdomain',
    description: 'The sender of mails of retailers who have not set one.',
  }),
  CHANNEL_ACCOUNTS: z
    .string()
    .default('{}')
    .transform((text, ctx) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        ctx.addIssue('must be JSON');
        return z.NEVER;
      }
    })
    .pipe(channelAccounts)
    .meta({
      description:
        'Accounts with providers of SMS and WhatsApp messages, by name, as JSON; docs/guides/send-and-render.md shows one of each. A secret.',
    }),
};

const webhookSettings = {
  WEBHOOK_ALLOW_HTTP: flagSetting({
    default: false,
    description: "Whether webhooks may be posted without TLS. For a developer's machine.",
  }),
  WEBHOOK_ALLOW_NETWORKS: optionalSetting(
    textSetting({
      pattern: /^[0-9A-Fa-f.:]+(\/\d{1,3})?(,[0-9A-Fa-f.:]+(\/\d{1,3})?)*$/,
      description:
        'Private networks to which webhooks may be posted all the same, with commas between: 127.0.0.0/8,::1/128.',
    }),
  ),
};

/** Reads the settings. Nothing else in the service reads the environment. */
export function readConfig() {
  return readSettings({
    ...commonSettings,
    ...brokerSettings,
    ...storeSettings('delivery'),
    ...idSettings,
    ...publicSettings,
    ...sealingSettings,
    ...sendingSettings,
    ...webhookSettings,
  });
}
