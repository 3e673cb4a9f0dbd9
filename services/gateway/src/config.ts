import {
  brokerSettings,
  commonSettings,
  flagSetting,
  idSettings,
  integerSetting,
  operatorSettings,
  optionalSetting,
  readSettings,
  sealingSettings,
  textSetting,
} from '@receipts/host';
import { readFileSync } from 'node:fs';
import { defaultSizeLimits } from './http/limits';
import type { Certificate } from './http/server';

const bytesSetting = (description: string, value: number) =>
  integerSetting({ min: 256, max: 64 * 1024 * 1024, default: value, description });

/** All settings of the gateway, by environment variable. */
export const gatewaySettings = {
  ...commonSettings,
  ...brokerSettings,
  ...sealingSettings,
  ...idSettings,
  ...operatorSettings,
  PORT: integerSetting({
    min: 0,
    max: 65_535,
    default: 8080,
    description: 'The port of the API. 0 takes a free one.',
  }),
  HOST: textSetting({ default: '0.0.0.0', description: 'The address on which the API is served.' }),
  PUBLIC_BASE_PATH: textSetting({
    pattern: /^(\/[A-Za-z0-9._~-]+)*$/,
    default: '',
    description:
      'The path under which the public sees the API, such as /receipts-api. It may be cut off by a proxy or not, and stands before every Location.',
  }),
  TLS_CERT_FILE: optionalSetting(
    textSetting({
      description:
        'The certificate to serve HTTPS with, PEM, followed by those between it and its authority. HTTP without.',
    }),
  ),
  TLS_KEY_FILE: optionalSetting(textSetting({ description: 'The private key of TLS_CERT_FILE, PEM.' })),
  HTTPS_ONLY: flagSetting({
    default: false,
    description: 'True where a proxy before us speaks HTTPS: answers then carry Strict-Transport-Security.',
  }),
  TRUSTED_PROXIES: integerSetting({
    min: 0,
    max: 10,
    default: 0,
    description:
      'How many proxies stand before us and add to X-Forwarded-For. Where anybody may call, limits hold for each address.',
  }),
  QUERY_BYTES_MAX: bytesSetting('The longest query string, in bytes.', defaultSizeLimits.queryBytesMax),
  HEADER_BYTES_MAX: bytesSetting(
    'The largest header, name and value, in bytes.',
    defaultSizeLimits.headerBytesMax,
  ),
  HEADERS_BYTES_MAX: bytesSetting('All headers together, in bytes.', defaultSizeLimits.headersBytesMax),
  HEADER_COUNT_MAX: integerSetting({
    min: 10,
    max: 1_000,
    default: defaultSizeLimits.headerCountMax,
    description: 'How many header lines a request may have.',
  }),
  BODY_BYTES_MAX: bytesSetting('The largest body, in bytes.', defaultSizeLimits.bodyBytesMax),
  ATTACHMENT_BYTES_MAX: bytesSetting(
    'The largest attachment, in bytes.',
    defaultSizeLimits.attachmentBytesMax,
  ),
  BODIES_BYTES_MAX: integerSetting({
    min: 1024 * 1024,
    max: 16 * 1024 * 1024 * 1024,
    default: 40 * 1024 * 1024,
    description:
      'Bytes of bodies that are in memory at a time; more are 503. A quarter is kept for bodies of up to 64 KiB.',
  }),
  CALLER_BODIES_BYTES_MAX: integerSetting({
    min: 1024 * 1024,
    max: 16 * 1024 * 1024 * 1024,
    default: 20 * 1024 * 1024,
    description:
      'The same for the bodies of one credential, or of one address where anybody may call; more are 429.',
  }),
  READS_PER_SECOND: integerSetting({
    min: 1,
    max: 1_000_000,
    default: 50_000,
    description: 'Reads a second that one credential may make through one gateway.',
  }),
  WRITES_PER_SECOND: integerSetting({
    min: 1,
    max: 1_000_000,
    default: 50_000,
    description: 'Writes a second that one credential may make through one gateway.',
  }),
  RATE_BURST_SECONDS: integerSetting({
    min: 1,
    max: 3_600,
    default: 10,
    description: 'How much of its rate a credential may use at once after a pause, in seconds of the rate.',
  }),
  REQUESTS_IN_PROGRESS_MAX: integerSetting({
    min: 1,
    max: 1_000_000,
    default: 4_000,
    description: 'Requests in progress; more are answered with 503 at once.',
  }),
  BACKLOG_MESSAGES_MAX: integerSetting({
    min: 10,
    max: 100_000_000,
    default: 50_000,
    description:
      'Messages that may wait with the broker to be worked on later; more raw receipts are then answered with 503. Shared out between retailers from half of it on.',
  }),
  BACKLOG_SECONDS_MAX: integerSetting({
    min: 1,
    max: 86_400,
    default: 300,
    description:
      'For so long a fiftieth of `BACKLOG_MESSAGES_MAX` may wait without a break; then raw receipts are answered with 503 until there is less.',
  }),
  OUTBOX_SECONDS_MAX: integerSetting({
    min: 1,
    max: 86_400,
    default: 60,
    description:
      'While a service has 500 changes or more of which nobody has been told, the oldest for longer than this, further changes are answered with 503.',
  }),
  LOOP_LAG_MS_MAX: integerSetting({
    min: 0,
    max: 60_000,
    default: 1_000,
    description:
      'While the event loop is later than this, in milliseconds, requests are answered with 503. 0 never.',
  }),
  CONNECTIONS_MAX: integerSetting({
    min: 1,
    max: 1_000_000,
    default: 10_000,
    description: 'Open connections; more are refused.',
  }),
  ANSWER_TIMEOUT_MS: integerSetting({
    min: 100,
    max: 60_000,
    default: 4_000,
    description:
      'How long an owner may take to answer, in milliseconds, where its contract does not say otherwise.',
  }),
  ANSWER_DELAY_MS_MAX: integerSetting({
    min: 0,
    max: 60_000,
    default: 2_000,
    description:
      'While 64 requests or more of one kind wait for their owner, and not even the fastest is answered within this time in milliseconds, further ones are answered with 503. Set it to half of the time after which your tills give up. 0 never.',
  }),
  HEADERS_TIMEOUT_MS: integerSetting({
    min: 100,
    max: 600_000,
    default: 5_000,
    description: 'How long the headers of a request may take to arrive, in milliseconds.',
  }),
  REQUEST_TIMEOUT_MS: integerSetting({
    min: 100,
    max: 600_000,
    default: 30_000,
    description: 'How long a whole request may take to arrive, in milliseconds.',
  }),
  KEEP_ALIVE_MS: integerSetting({
    min: 0,
    max: 3_600_000,
    default: 75_000,
    description:
      'How long an idle connection stays open, in milliseconds: longer than the balancer before us keeps it.',
  }),
  CREDENTIALS_REFRESH_MS: integerSetting({
    min: 1_000,
    max: 86_400_000,
    default: 300_000,
    description:
      'How often all credentials are read anew, in milliseconds. Changes arrive by events; this heals one that was lost.',
  }),
} as const;

/**
 * The TLS certificate and key; undefined where a proxy in front terminates TLS.
 * @throws Error where one of the two files is missing
 */
export function certificateOf({
  TLS_CERT_FILE: cert,
  TLS_KEY_FILE: key,
}: Pick<GatewaySettings, 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>): Certificate | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new Error('TLS_CERT_FILE and TLS_KEY_FILE belong together');
  }
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

type GatewaySettings = ReturnType<typeof readGatewaySettings>;

export function readGatewaySettings(env: NodeJS.ProcessEnv = process.env) {
  return readSettings(gatewaySettings, env);
}
