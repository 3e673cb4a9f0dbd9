import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  Platform,
  readLocalSettings,
  removeLeftovers,
  type LocalSettings,
  type PlatformOptions,
} from '@receipts/local';

/** Addresses of other servers, and another data folder. */
export interface OwnVariables {
  readonly AMQP_URL?: string;
  readonly MONGODB_URI?: string;
  readonly BROKER_MANAGEMENT_URL?: string;
  readonly DATA_DIR?: string;
  readonly SMTP_URL?: string;
  readonly IDENTITY_PROVIDERS?: string;
  readonly OPERATOR_TOKENS?: string;
  readonly OPERATOR_SIGN_IN?: string;
  readonly RESOURCE_PREFIX?: string;
}

/**
 * The settings of a platform in this folder, on a free port. Its broker and database are private unless others are
 * given.
 */
export function settingsIn(dataDir: string, variables: OwnVariables = {}): LocalSettings {
  const environment = {
    ...process.env,
    PORT: '0',
    AMQP_URL: undefined,
    MONGODB_URI: undefined,
    BROKER_MANAGEMENT_URL: undefined,
    ...variables,
    DATA_DIR: dataDir,
  };
  return readLocalSettings(environment, process.cwd());
}

/**
 * A platform for a single test, without the demo retailer, with a private broker and database that can be killed and
 * restarted.
 * @param variables another broker or database, for tests that do not kill them, or another data folder
 */
export async function ownPlatform(
  options: Partial<PlatformOptions> = {},
  variables: OwnVariables = {},
): Promise<Platform> {
  const dataDir = variables.DATA_DIR ?? mkdtempSync(path.join(os.tmpdir(), 'receipts-faults-'));
  return Platform.start({
    settings: settingsIn(dataDir, variables),
    isolated: true,
    demo: false,
    ...options,
  });
}

/** The broker and database of the test run, for platforms whose tests disrupt neither. */
export function sharedInfrastructure(): OwnVariables {
  const { TEST_AMQP_URL: AMQP_URL, TEST_MONGODB_URI: MONGODB_URI } = process.env;
  return { ...(AMQP_URL !== undefined && { AMQP_URL }), ...(MONGODB_URI !== undefined && { MONGODB_URI }) };
}

/** Removes a platform's data from shared servers. */
export async function removeFromServers({ broker, database, name, settings }: Platform): Promise<void> {
  await removeLeftovers(name, {
    amqpUrl: broker.isPrivate ? undefined : broker.url,
    managementUrl: settings.environment['BROKER_MANAGEMENT_URL'],
    mongodbUri: database.isPrivate ? undefined : database.uri,
  });
}

export async function discard(platform: Platform | undefined): Promise<void> {
  if (!platform) return;
  await platform.stop({ discardsData: true });
  await removeFromServers(platform);
  removeData(platform.settings.dataDir);
}

/** Removes the data of a platform that has stopped. A tool of the broker may still write its cookie. */
export function removeData(dataDir: string): void {
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
}
