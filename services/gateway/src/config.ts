import {
  bodySettings,
  brokerSettings,
  commonSettings,
  flagSetting,
  idSettings,
  integerSetting,
  operatorSettings,
  operatorTokens,
  optionalSetting,
  readSettings,
  sealingSettings,
  textSetting,
  type Settings,
} from '@receipts/host';
import { readFileSync } from 'node:fs';
import { attachmentBytesMax, defaultSizeLimits, headBytesMax } from './http/limits';
import { bodyBudgetLimits, burstSeconds } from './http/request-limits';
import { arrivalTimes, type Certificate } from './http/server';

const headSetting = (part: string, value: number) =>
  integerSetting({
    min: 256,
    max: headBytesMax,
    default: value,
    description: `The maximum size of ${part}, in bytes; at most 64 KiB.`,
  });

/** All settings of the gateway, keyed by environment variable. */
export const gatewaySettings = {
  ...commonSettings,
  ...brokerSettings,
  ...sealingSettings,
  ...idSettings,
  ...operatorSettings,
  ...bodySettings,
  PORT: integerSetting({
    min: 0,
    max: 65_535,
    default: 8080,
    description: 'The port of the API. 0 selects a free port.',
  }),
  HOST: textSetting({ default: '0.0.0.0', description: 'The address to listen on.' }),
  PUBLIC_BASE_PATH: textSetting({
    pattern: /^(\/[A-Za-z0-9._~-]+)*$/,
    default: '',
    description:
      'The public path prefix of the API, such as /receipts-api, whether a proxy removes it or not. Redirects contain the prefix; other links are relative to it.',
  }),
  TLS_CERT_FILE: optionalSetting(
    textSetting({
      description:
        'The TLS certificate file, PEM, followed by intermediate certificates. If unset, the API uses HTTP.',
    }),
  ),
  TLS_KEY_FILE: optionalSetting(
    textSetting({ description: 'The file with the private key of TLS_CERT_FILE, PEM.' }),
  ),
  HTTPS_ONLY: flagSetting({
    default: false,
    description:
      'Set to true when TLS terminates at a proxy. Responses then have the header Strict-Transport-Security.',
  }),
  TRUSTED_PROXIES: integerSetting({
    min: 0,
    max: 10,
    default: 0,
    description:
      'The number of proxies in front that append to X-Forwarded-For. Limits of public endpoints apply per address.',
  }),
  MAX_QUERY_BYTES: headSetting('a query string', defaultSizeLimits.queryBytesMax),
  MAX_HEADER_BYTES: headSetting('a header, name and value', defaultSizeLimits.headerBytesMax),
  MAX_HEADERS_BYTES: headSetting('all headers together', defaultSizeLimits.headersBytesMax),
  MAX_ATTACHMENT_BYTES: integerSetting({
    min: 256,
    max: attachmentBytesMax,
    default: defaultSizeLimits.attachmentBytesMax,
    description: 'The maximum size of an attachment, in bytes; at most 15 MiB.',
  }),
  MAX_READS_PER_SECOND: integerSetting({
    min: 1,
    max: 1_000_000,
    default: 50_000,
    description:
      'The maximum number of reads per second with one credential, per gateway; bursts of ten seconds are allowed.',
  }),
  MAX_WRITES_PER_SECOND: integerSetting({
    min: 1,
    max: 1_000_000,
    default: 50_000,
    description:
      'The maximum number of writes per second with one credential, per gateway; bursts of ten seconds are allowed.',
  }),
  MAX_REQUESTS_IN_PROGRESS: integerSetting({
    min: 1,
    max: 1_000_000,
    default: 4_000,
    description:
      'The maximum number of requests in progress; more cause 503. Above half of it, retailers get equal shares.',
  }),
  MAX_BACKLOG_MESSAGES: integerSetting({
    min: 10,
    max: 100_000_000,
    default: 50_000,
    description:
      'The maximum number of messages in the queues of raw receipts; more cause 503. Above half of it, retailers get equal shares.',
  }),
  MAX_CONNECTIONS: integerSetting({
    min: 1,
    max: 1_000_000,
    default: 10_000,
    description: 'The maximum number of open connections; more are refused.',
  }),
  UPSTREAM_TIMEOUT_MS: integerSetting({
    min: 100,
    max: 60_000,
    default: 4_000,
    description: 'The timeout of requests to services, in milliseconds, unless the contract has its own.',
  }),
  MAX_UPSTREAM_LATENCY_MS: integerSetting({
    min: 0,
    max: 60_000,
    default: 2_000,
    description:
      'The maximum latency, in milliseconds. Requests of a kind get 503 while 64 or more are open and even the fastest takes longer. All requests get 503 while the event loop lags by more than half of it, and by more than 500 ms. Set it to half of the timeout of your tills. 0 turns both checks off.',
  }),
  KEEP_ALIVE_TIMEOUT_MS: integerSetting({
    min: 0,
    max: 3_600_000,
    default: 75_000,
    description:
      'The keep-alive timeout of connections, in milliseconds. Must exceed that of the load balancer in front.',
  }),
} as const;

/** The TLS certificate and key; undefined if a proxy in front terminates TLS. */
export function certificateOf({
  TLS_CERT_FILE: cert,
  TLS_KEY_FILE: key,
}: Pick<GatewaySettings, 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>): Certificate | undefined {
  if (cert === undefined || key === undefined) return undefined;
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

type GatewaySettings = Settings<typeof gatewaySettings>;

export function gatewayConflicts({
  TLS_CERT_FILE: cert,
  TLS_KEY_FILE: key,
}: Pick<GatewaySettings, 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>): readonly string[] {
  const isPair = (cert === undefined) === (key === undefined);
  return isPair ? [] : ['TLS_CERT_FILE and TLS_KEY_FILE must be set together'];
}

export const readGatewaySettings = () => readSettings(gatewaySettings, gatewayConflicts);

const loopLagFloorMs = 500;

/** The settings of the HTTP side, with the names that the gateway uses. */
export function httpOptionsOf(settings: GatewaySettings) {
  const certificate = certificateOf(settings);
  const latencyMsMax = settings.MAX_UPSTREAM_LATENCY_MS;
  return {
    operatorTokens: operatorTokens(settings),
    limits: {
      ...defaultSizeLimits,
      queryBytesMax: settings.MAX_QUERY_BYTES,
      headerBytesMax: settings.MAX_HEADER_BYTES,
      headersBytesMax: settings.MAX_HEADERS_BYTES,
      bodyBytesMax: settings.MAX_BODY_BYTES,
      attachmentBytesMax: settings.MAX_ATTACHMENT_BYTES,
    },
    rates: {
      readsPerSecond: settings.MAX_READS_PER_SECOND,
      writesPerSecond: settings.MAX_WRITES_PER_SECOND,
      burstSeconds,
    },
    bodies: bodyBudgetLimits,
    requests: {
      requestsMax: settings.MAX_REQUESTS_IN_PROGRESS,
      // The lag is sampled, and a single pause of a moderate length is no overload.
      loopLagMsMax: latencyMsMax === 0 ? 0 : Math.max(loopLagFloorMs, latencyMsMax / 2),
    },
    times: {
      ...arrivalTimes,
      keepAliveMs: settings.KEEP_ALIVE_TIMEOUT_MS,
    },
    upstreamTimeoutMs: settings.UPSTREAM_TIMEOUT_MS,
    upstreamLatencyMsMax: settings.MAX_UPSTREAM_LATENCY_MS,
    connectionsMax: settings.MAX_CONNECTIONS,
    basePath: settings.PUBLIC_BASE_PATH,
    certificate,
    httpsOnly: settings.HTTPS_ONLY || certificate !== undefined,
    trustedProxies: settings.TRUSTED_PROXIES,
  };
}
