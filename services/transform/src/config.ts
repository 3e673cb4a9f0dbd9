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
      'Sandboxed processes that convert packets at the same time. They are started when there is work; one for each processor is right.',
  }),
} as const;

/** Reads the settings. Nothing else in the service reads the environment. */
export function readConfig() {
  return readSettings(transformSettings);
}
