import {
  brokerSettings,
  commonSettings,
  integerSetting,
  operatorSettings,
  optionalSetting,
  publicSettings,
  readSettings,
  sealingSettings,
  storeSettings,
  textSetting,
  urlSetting,
} from '@receipts/host';

/** Reads the settings. Nothing else in the service reads the environment. */
export function readConfig() {
  return readSettings({
    ...commonSettings,
    ...brokerSettings,
    ...storeSettings('admin'),
    ...sealingSettings,
    ...publicSettings,
    ...operatorSettings,
    BROKER_MANAGEMENT_URL: optionalSetting(
      urlSetting({
        protocols: ['http', 'https'],
        description:
          'The management interface of RabbitMQ, with a user who may administer it: http://user:password@host:15672. Without it the operator cannot give integrators queues of their own.',
      }),
    ),
    AMQP_PUBLIC_URL: optionalSetting(
      urlSetting({
        protocols: ['amqp', 'amqps'],
        description:
          'The address of the broker given to integrators; AMQP_URL without its user unless given.',
      }),
    ),
    COMMAND_QUEUE_BYTES_MAX: integerSetting({
      min: 1_048_576,
      max: 1_099_511_627_776,
      default: 8_000_000_000,
      description:
        'Bytes that may wait with the broker for one service; what comes on top is answered with 503. Set where BROKER_MANAGEMENT_URL is.',
    }),
  });
}

/** The settings of the command that provisions a retailer. */
export function readProvisionConfig() {
  return readSettings({
    OPERATOR_TOKEN: textSetting({ description: "The operator's token." }),
    BASE_URL: optionalSetting(
      urlSetting({
        protocols: ['http', 'https'],
        description:
          'The address of the API from here, if it is not the one that is written to the credentials.',
      }),
    ),
  });
}
