import {
  brokerSettings,
  commonSettings,
  integerSetting,
  jsonSetting,
  operatorSettings,
  optionalSetting,
  publicSettings,
  readSettings,
  sealingSettings,
  storeSettings,
  textSetting,
  urlSetting,
} from '@receipts/host';
import { identityProviderSettings } from './pages/oidc/identity-providers';
import { operatorConflicts, operatorSignIn } from './operations/operator-sign-in';

/** Reads the settings. No other file of the service reads the environment. */
export function readConfig() {
  const declared = {
    ...commonSettings,
    ...brokerSettings,
    ...storeSettings('admin'),
    ...sealingSettings,
    ...publicSettings,
    ...operatorSettings,
    OPERATOR_SIGN_IN: optionalSetting(
      jsonSetting(operatorSignIn, {
        description:
          'The identity provider of the operators and their e-mail addresses, as JSON: {"identity_provider": "office", "emails": ["ann@example.com"]}. If unset, operators sign in to the operations pages with tokens.',
      }),
    ),
    IDENTITY_PROVIDERS: jsonSetting(identityProviderSettings, {
      default: '{}',
      description:
        'OpenID Connect providers for signing in, by name, as JSON: {"name": {"issuer": "https://…", "client_id": "…", "client_secret": "…"}}. A secret.',
    }),
    BROKER_MANAGEMENT_URL: optionalSetting(
      urlSetting({
        protocols: ['http', 'https'],
        description:
          'The management interface of RabbitMQ, with a user who may administer it: http://user:password@host:15672. List the nodes of a cluster, as in AMQP_URL. If unset, the operator cannot create queues for integrators, and the operations pages do not show what goes in and out of queues.',
      }),
    ),
    AMQP_PUBLIC_URL: optionalSetting(
      urlSetting({
        protocols: ['amqp', 'amqps'],
        description:
          'The address of the broker given to integrators; by default, the first address of AMQP_URL without its user.',
      }),
    ),
    COMMAND_QUEUE_BYTES_MAX: integerSetting({
      min: 1_048_576,
      max: 1_099_511_627_776,
      default: 8_000_000_000,
      description:
        "The maximum size of a service's command queue in the broker, in bytes; further commands get 503. Only effective with BROKER_MANAGEMENT_URL.",
    }),
  };
  return readSettings(declared, operatorConflicts);
}

/** The settings of the command that provisions a retailer. */
export function readProvisionConfig() {
  return readSettings({
    OPERATOR_TOKEN: textSetting({ description: "The operator's token." }),
    BASE_URL: optionalSetting(
      urlSetting({
        protocols: ['http', 'https'],
        description:
          'The URL of the API as reachable from here, if it differs from the URL written to the credentials.',
      }),
    ),
  });
}
