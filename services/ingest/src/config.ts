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
    description: 'Stands before the paths in addresses of attachments, when the API is not at the root.',
  }),
  CONVERSION_RETRY_MS: integerSetting({
    min: 1_000,
    max: 86_400_000,
    default: 30_000,
    description:
      'A packet that nobody has converted by then is sent to conversion again; each further time waits twice as long.',
  }),
} as const;

/** Reads the settings. Nothing else in the service reads the environment. */
export function readConfig() {
  return readSettings(ingestSettings);
}
