import { brokerSettings, commonSettings, integerSetting, readSettings, storeSettings } from '@receipts/host';

const transformSettings = {
  ...commonSettings,
  ...brokerSettings,
  ...storeSettings('transform'),
  SANDBOX_PROCESSES_MAX: integerSetting({
    min: 1,
    max: 64,
    default: 2,
    description:
      'The number of sandboxed processes that convert packets. They are started on demand; use one per processor.',
  }),
} as const;

/** Reads the settings. No other file of the service reads the environment. */
export function readConfig() {
  return readSettings(transformSettings);
}
