import {
  brokerSettings,
  commonSettings,
  idSettings,
  publicSettings,
  readSettings,
  storeSettings,
} from '@receipts/host';

/** What this service can be told; see the README of the platform for how to set it. */
const settings = {
  ...commonSettings,
  ...brokerSettings,
  ...storeSettings('receipt-store'),
  ...idSettings,
  ...publicSettings,
} as const;

/** The settings of this process; the only place that reads the environment. */
export const readConfig = () => readSettings(settings);
