import {
  brokerSettings,
  commonSettings,
  flagSetting,
  idSettings,
  integerSetting,
  jsonSetting,
  optionalSetting,
  publicSettings,
  readSettings,
  sealingSettings,
  storeSettings,
  textSetting,
  urlSetting,
} from '@receipts/host';
import { appleWallet } from './rendering/wallet/apple-pass';
import { googleWallet } from './rendering/wallet/google-pass';
import { channelAccounts } from './sending/channels/accounts';

const walletSettings = {
  APPLE_WALLET: optionalSetting(
    jsonSetting(appleWallet, {
      description:
        'The certificate of your pass type from Apple, its key and the certificate of its issuer (WWDR), as PEM in JSON; ' +
        'docs/guides/send-and-render.md has an example. If unset, receipts have no link to Apple Wallet. A secret.',
    }),
  ),
  GOOGLE_WALLET: optionalSetting(
    jsonSetting(googleWallet, {
      description:
        'Your Google Wallet issuer id, and the e-mail address and private key of its service account, as JSON; ' +
        'docs/guides/send-and-render.md has an example. If unset, receipts have no link to Google Wallet. A secret.',
    }),
  ),
};

const sendingSettings = {
  SMTP_URL: optionalSetting(
    urlSetting({
      protocols: ['smtp', 'smtps'],
      description: 'The URL of the mail server. If unset, e-mail is unavailable, unless MAIL_FILES is set.',
    }),
  ),
  MAIL_FILES: flagSetting({
    default: false,
    description:
      'Whether to write e-mails as .eml files to DATA_DIR/mail, instead of sending them, if there is no mail server. Intended for development.',
  }),
  DATA_DIR: textSetting({
    default: '.data',
    description: 'Where e-mails are written when MAIL_FILES is set.',
  }),
  RETRY_UNCONFIRMED_DELIVERIES: flagSetting({
    default: false,
    description:
      'Whether to resend a message if the provider did not confirm it, at the risk of a duplicate. ' +
      'Otherwise, such a delivery fails with `outcome_unknown`.',
  }),
  MAIL_FROM: textSetting({
    default: 'receipts@localhost.localdomain',
    description: 'The sender of e-mails for retailers that have not set one.',
  }),
  CHANNEL_ACCOUNTS: jsonSetting(channelAccounts, {
    default: '{}',
    description:
      'Accounts with providers of SMS and WhatsApp messages, by name, as JSON; ' +
      'docs/guides/send-and-render.md has an example of each. A secret.',
  }),
};

const alertSettings = {
  ALERT_DELAY_SECONDS: integerSetting({
    default: 60,
    min: 0,
    max: 3600,
    description: 'How long further causes are collected before portal users are warned by e-mail.',
  }),
  ALERT_INTERVAL_SECONDS: integerSetting({
    default: 3600,
    min: 0,
    max: 86_400,
    description: 'The shortest time between two e-mails with warnings to a portal user.',
  }),
};

const webhookSettings = {
  WEBHOOK_ALLOW_HTTP: flagSetting({
    default: false,
    description: 'Whether to allow webhooks without TLS. Intended for development.',
  }),
  WEBHOOK_RETRY_SECONDS: textSetting({
    pattern: /^\d{1,7}(,\d{1,7}){0,29}$/,
    default: '5,300,1800,7200,18000,36000,50400,72000,86400',
    description:
      'The pauses in seconds after the failed attempts of a webhook delivery, separated by commas. ' +
      'If the last retry fails, the delivery has failed.',
  }),
  WEBHOOK_ALLOW_NETWORKS: optionalSetting(
    textSetting({
      pattern: /^[0-9A-Fa-f.:]+(\/\d{1,3})?(,[0-9A-Fa-f.:]+(\/\d{1,3})?)*$/,
      description:
        'Private networks that webhooks may reach, separated by commas, such as 127.0.0.0/8,::1/128.',
    }),
  ),
};

/** Reads the settings. No other file of the service reads the environment. */
export function readConfig() {
  return readSettings({
    ...commonSettings,
    ...brokerSettings,
    ...storeSettings('delivery'),
    ...idSettings,
    ...publicSettings,
    ...sealingSettings,
    ...sendingSettings,
    ...alertSettings,
    ...walletSettings,
    ...webhookSettings,
  });
}
