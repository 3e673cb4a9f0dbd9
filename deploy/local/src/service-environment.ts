import type { Broker } from './broker';
import type { DatabaseServer } from './database-server';
import type { Secrets } from './secrets';
import type { ServiceName } from './service-names';
import type { LocalSettings } from './settings';

interface Servers {
  readonly broker: Broker;
  readonly database: DatabaseServer;
  /** The default of PUBLIC_URL. */
  readonly publicUrl: string;
  readonly platform: string;
  readonly installation: string;
}

/**
 * The environment variables of a service. The user's settings override the defaults, but not values that were found or
 * generated.
 */
export function environmentOf(
  name: ServiceName,
  { environment, dataDir }: LocalSettings,
  { masterKey, idSecret, operatorToken }: Secrets,
  { broker, database, publicUrl, platform, installation }: Servers,
): NodeJS.ProcessEnv {
  const { MONGODB_DATABASE: _perService, PORT: _gatewayOnly, ...inherited } = environment;
  return {
    PUBLIC_URL: publicUrl,
    MAIL_FILES: 'true',
    // Permits webhooks to receivers on this machine.
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8,::1/128',
    ...inherited,
    RESOURCE_PREFIX: platform,
    INSTALLATION: installation,
    AMQP_URL: broker.url,
    ...(name === 'admin' &&
      broker.managementUrl !== undefined && { BROKER_MANAGEMENT_URL: broker.managementUrl }),
    MONGODB_URI: database.uri,
    MASTER_KEY: masterKey,
    ID_SECRET: idSecret,
    OPERATOR_TOKEN: operatorToken,
    DATA_DIR: dataDir,
    HEALTH_HOST: '127.0.0.1',
    HEALTH_PORT: '0',
    DRAIN_DELAY_MS: '0',
  };
}

/** An address that clients on this machine can connect to. */
export function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
