import { brokerSettings, commonSettings, readSettings, storeSettings } from '@receipts/host';

/** The settings of this service; the only place that reads the environment. */
export function readConfig() {
  return readSettings({ ...commonSettings, ...brokerSettings, ...storeSettings('identifier') });
}
