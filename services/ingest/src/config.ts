import {
  brokerSettings,
  commonSettings,
  idSettings,
  integerSetting,
  readSettings,
  storeSettings,
  textSetting,
} from '@receipts/host';

const ingestSettings = {
  ...commonSettings,
  ...brokerSettings,
  ...storeSettings('ingest'),
  ...idSettings,
  PUBLIC_BASE_PATH: textSetting({
    default: '',
    pattern: /^(\/[A-Za-z0-9._~-]+)*$/,
    description: 'The path prefix of attachment URLs if the API is not at the root.',
  }),
  CONVERSION_RETRY_MS: integerSetting({
    min: 1_000,
    max: 86_400_000,
    default: 30_000,
    description:
      'The delay after which the conversion of an unconverted packet is requested again; it doubles each time.',
  }),
} as const;

/** Reads the settings. No other file of the service reads the environment. */
export function readConfig() {
  return readSettings(ingestSettings);
}
