import {
  bodySettings,
  brokerSettings,
  commonSettings,
  idSettings,
  publicSettings,
  readSettings,
  storeSettings,
} from '@receipts/host';

/** The settings of this service, listed in docs/settings.md. */
const settings = {
  ...commonSettings,
  ...brokerSettings,
  ...storeSettings('receipt-store'),
  ...idSettings,
  ...publicSettings,
  ...bodySettings,
} as const;

/** Reads the settings. No other file of the service reads the environment. */
export const readConfig = () => readSettings(settings);
