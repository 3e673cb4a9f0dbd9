import {
  brokerSettings,
  choiceSetting,
  commonSettings,
  publicSettings,
  readSettings,
  sealingSettings,
  storeSettings,
  textSetting,
} from '@receipts/host';

/** The settings of this service; this file is the only place that reads the environment. */
export function readConfig() {
  return readSettings({
    ...commonSettings,
    ...brokerSettings,
    ...storeSettings('admin'),
    ...sealingSettings,
    ...publicSettings,
  });
}

/** The settings of the command that provisions a retailer. */
export function readProvisionConfig() {
  return readSettings({
    ...brokerSettings,
    LOG_LEVEL: choiceSetting({
      words: ['debug', 'info', 'warn', 'error'],
      default: 'warn',
      description: 'The least important kind of log line that is written.',
    }),
    OPERATOR_TOKEN: textSetting({
      description:
        "The operator's token, written beside the retailer's credentials for whoever tries things out.",
    }),
  });
}
