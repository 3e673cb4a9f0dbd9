import {
  brokerSettings,
  choiceSetting,
  commonSettings,
  optionalSetting,
  readSettings,
  sealingSettings,
  storeSettings,
  textSetting,
  urlSetting,
} from '@receipts/host';
import { z } from 'zod';

/** Reads the settings. No other file of the service reads the environment. */
export function readConfig() {
  return readSettings({
    ...commonSettings,
    ...brokerSettings,
    ...storeSettings('identifier'),
    ...sealingSettings,
    VALIDATION_PROVIDER: choiceSetting({
      words: ['local', 'http'],
      default: 'local',
      description:
        'The provider that validates e-mail addresses: `local` checks the syntax, domain lists and DNS; `http` uses a service that contacts mail servers.',
    }),
    VALIDATION_URL: urlSetting({
      protocols: ['http', 'https'],
      default: 'https://api.kickbox.com/v2/verify',
      description: 'The URL of a verification service such as Kickbox, for the provider `http`.',
    }),
    VALIDATION_API_KEY: optionalSetting(
      z.string().min(1).meta({ description: 'The key for VALIDATION_URL. A secret.' }),
    ),
    DNS_SERVERS: textSetting({
      pattern: /^([0-9.]+(:\d+)?|\[[0-9a-fA-F:]+\](:\d+)?)?(,([0-9.]+(:\d+)?|\[[0-9a-fA-F:]+\](:\d+)?))*$/,
      default: '',
      description:
        'The DNS resolvers of the provider `local`, separated by commas, such as 10.0.0.2 or [::1]:5353. ' +
        "Defaults to the machine's resolvers.",
    }),
  });
}
