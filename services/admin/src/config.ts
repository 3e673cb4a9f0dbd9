import { brokerSettings, commonSettings, readSettings, sealingSettings, storeSettings } from '@receipts/host';

/** The settings of this service; the only place that reads the environment. */
export function readConfig() {
  return readSettings({
    ...commonSettings,
    ...brokerSettings,
    ...storeSettings('admin'),
    ...sealingSettings,
  });
}
