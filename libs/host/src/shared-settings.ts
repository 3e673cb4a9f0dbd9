import { z } from 'zod';
import {
  choiceSetting,
  integerSetting,
  jsonSetting,
  optionalSetting,
  textSetting,
  urlSetting,
  type Settings,
} from './settings';

const keyBytes = 32;

function isKeyList(value: string): boolean {
  return value
    .split(',')
    .every((key) => /^[A-Za-z0-9+/]{43}=$/.test(key) && Buffer.from(key, 'base64').length === keyBytes);
}

/** The settings of all processes. */
export const commonSettings = {
  LOG_LEVEL: choiceSetting({
    words: ['debug', 'info', 'warn', 'error'],
    default: 'info',
    description: 'The lowest level of log lines that are written.',
  }),
  HEALTH_HOST: textSetting({
    default: '127.0.0.1',
    description: 'The address that serves /live, /ready and /metrics. Use 0.0.0.0 in a container.',
  }),
  HEALTH_PORT: integerSetting({
    min: 0,
    max: 65_535,
    default: 0,
    description: 'The port of /live, /ready and /metrics. 0 selects a free port, which is logged.',
  }),
  START_TIMEOUT_MS: integerSetting({
    min: 1_000,
    max: 7_200_000,
    default: 900_000,
    description:
      'The maximum duration of startup, in milliseconds, after which the process exits with 1. ' +
      'Building an index can take up to 10 minutes of it.',
  }),
  DRAIN_DELAY_MS: integerSetting({
    min: 0,
    max: 60_000,
    default: 2_000,
    description:
      'How long a stopping process reports that it is not ready before it stops accepting work, in milliseconds, ' +
      'so that load balancers notice. Use 0 if there is no load balancer.',
  }),
  SHUTDOWN_GRACE_MS: integerSetting({
    min: 100,
    max: 120_000,
    default: 12_000,
    description:
      'How long work in progress may take to finish after DRAIN_DELAY_MS, in milliseconds, before the process exits.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalSetting(
    urlSetting({
      protocols: ['http', 'https'],
      description:
        'The endpoint for spans (OTLP over HTTP, the base URL: /v1/traces is appended). If unset, no spans are recorded.',
    }),
  ),
  OTEL_TRACES_SAMPLER_ARG: textSetting({
    pattern: /^(0(\.\d+)?|1(\.0+)?)$/,
    default: '1',
    description:
      'The fraction of traces that is recorded, from 0 to 1. Traces continued from a caller follow the ' +
      'caller’s decision.',
  }),
} as const;

export type CommonSettings = Settings<typeof commonSettings>;

const platformSetting = {
  RESOURCE_PREFIX: textSetting({
    pattern: /^[a-z][a-z0-9-]{0,23}$/,
    default: 'receipts',
    description:
      'The prefix of every queue, exchange and database of this platform. Must be the same in all services.',
  }),
} as const;

/** For processes that authenticate the operator. */
export const operatorSettings = {
  OPERATOR_TOKEN: optionalSetting(
    z
      .string()
      .min(16, 'must have at least 16 characters')
      .meta({
        description:
          'The bearer token for /operator and the operations pages. Must be the same in gateway and admin. ' +
          'If unset, and without OPERATOR_TOKENS, operator endpoints are disabled.',
      }),
  ),
  OPERATOR_TOKENS: jsonSetting(
    z.record(
      z.string().regex(/^(?!operator$)[A-Za-z0-9._@-]{1,60}$/),
      z.string().regex(/^\S{16,}$/, 'must have at least 16 characters, none of them a space'),
    ),
    {
      default: '{}',
      description:
        'A bearer token for each operator, by name, as JSON: {"ann": "…"}. The audit log names the operator. Must be the same in gateway and admin. A secret.',
    },
  ),
} as const;

/** The tokens of the operators, by name. The shared token belongs to no person. */
export function operatorTokens({
  OPERATOR_TOKEN: shared,
  OPERATOR_TOKENS: named,
}: Settings<typeof operatorSettings>): Readonly<Record<string, string>> {
  return { ...named, ...(shared !== undefined && { operator: shared }) };
}

/** For processes that connect to the broker. */
export const brokerSettings = {
  AMQP_URL: urlSetting({
    protocols: ['amqp', 'amqps'],
    description:
      'The URL of RabbitMQ, with user and password: amqp://user:password@host:5672. List the nodes of a cluster: ' +
      'amqp://user:password@a:5672,b:5672,c:5672. Each process uses one of them until it fails.',
  }),
  ...platformSetting,
  INSTALLATION: optionalSetting(
    textSetting({
      pattern: /^[A-Za-z0-9_-]{1,64}$/,
      description:
        'The name of this installation. A second installation with the same `RESOURCE_PREFIX` on the same broker is rejected.',
    }),
  ),
} as const;

/** The options of `connectBroker` from the settings. */
export function brokerAccess(settings: Settings<typeof brokerSettings>) {
  return {
    url: settings.AMQP_URL,
    platform: settings.RESOURCE_PREFIX,
    installation: settings.INSTALLATION,
  };
}

const underscored = (service: string): string => service.replaceAll('-', '_');

/** The name of a service's database. */
export function databaseOf(
  settings: { readonly RESOURCE_PREFIX: string; readonly MONGODB_DATABASE?: string | undefined },
  service: string,
): string {
  return settings.MONGODB_DATABASE ?? `${underscored(settings.RESOURCE_PREFIX)}_${underscored(service)}`;
}

/** For services with their own database. */
export function storeSettings(service: string) {
  return {
    MONGODB_URI: urlSetting({
      protocols: ['mongodb', 'mongodb+srv'],
      description:
        'The URL of MongoDB. Use a replica set in production: a standalone server can lose acknowledged writes.',
    }),
    MONGODB_COMMIT_QUORUM: optionalSetting(
      textSetting({
        pattern: /^(majority|votingMembers|[1-9]\d?)$/,
        description:
          'How many members of the replica set must be ready to commit a new index: `majority`, `votingMembers` or a ' +
          'number. If unset, MongoDB waits for all voting members, and a service that needs a new index does not start ' +
          'while one of them is down. Do not set it for a standalone server.',
      }),
    ),
    ...platformSetting,
    MONGODB_DATABASE: optionalSetting(
      textSetting({
        pattern: /^[A-Za-z0-9_-]{1,38}$/,
        description: `The database of this service; by default, \`RESOURCE_PREFIX\` followed by \`_${underscored(service)}\`.`,
      }),
    ),
  } as const;
}

/** For services that store or read secrets of clients. */
export const sealingSettings = {
  MASTER_KEY: z
    .string()
    .refine(isKeyList, 'must be 32 bytes in base64, or several such keys separated by commas')
    .meta({
      description:
        'Encrypts stored secrets (AES-256-GCM). 32 bytes in base64; after a rotation, the new key followed by the old keys.',
    }),
} as const;

/** For processes that assign ids before anything is stored, or that verify such ids. */
export const idSettings = {
  ID_SECRET: z.string().min(16, 'must have at least 16 characters').meta({
    description: 'Signs ids that are issued before anything is stored. Must be the same in all services.',
  }),
} as const;

/**
 * MongoDB limits documents to 16 MiB, and a document can contain a body twice, in itself and in its event, in addition
 * to its search terms.
 */
const bodyBytesMax = 4 * 1024 * 1024;

/** For processes that read posted bodies. */
export const bodySettings = {
  MAX_BODY_BYTES: integerSetting({
    min: 256,
    max: bodyBytesMax,
    default: 2 * 1024 * 1024,
    description: 'The maximum size of a body, and of a receipt within a batch, in bytes; at most 4 MiB.',
  }),
} as const;

/** For services that publish URLs. */
export const publicSettings = {
  PUBLIC_URL: urlSetting({
    protocols: ['http', 'https'],
    default: 'http://127.0.0.1:8080',
    description: 'The public URL of the platform, without a trailing slash; links in e-mails begin with it.',
  }),
} as const;
