import {
  brokerSettings,
  commonSettings,
  idSettings,
  optionalSetting,
  publicSettings,
  readSettings,
  storeSettings,
  textSetting,
  urlSetting,
} from '@receipts/host';

/** The settings of this service; the only place that reads the environment. */
export function readConfig() {
  return readSettings({
    ...commonSettings,
    ...brokerSettings,
    ...storeSettings('delivery'),
    ...idSettings,
    ...publicSettings,
    SMTP_URL: optionalSetting(
      urlSetting({
        protocols: ['smtp', 'smtps'],
        description: 'The mail server. Without it each mail is written as an .eml file under DATA_DIR/mail.',
      }),
    ),
    DATA_DIR: textSetting({
      default: '.data',
      description: 'Where mails are written when there is no mail server.',
    }),
    MAIL_FROM: textSetting({
      default: 'receipts@localhost.localdomain',
      description: 'The sender of mails of retailers who have not set one.',
    }),
  });
}
