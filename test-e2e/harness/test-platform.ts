import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Platform } from '@receipts/local';
import { removeData, removeFromServers, settingsIn, type OwnVariables } from './own-platform';
import type { SharedPlatform } from './shared-platform';
import type { StoreUsers } from './store-users';

/** The platform that end-to-end tests share. */
export interface TestPlatform {
  /** Tests read this file, which the environment variable `E2E_PLATFORM_FILE` names. */
  readonly file: string;
  stop(): Promise<void>;
}

/**
 * Tests run in parallel, so a service may respond more slowly than tills would accept. The real limits are tested
 * separately under controlled conditions.
 */
const generousLimits = {
  UPSTREAM_TIMEOUT_MS: '30000',
  MAX_UPSTREAM_LATENCY_MS: '0',
};

/** An operator whose actions no other test mixes with its own. */
export const auditedOperator = { name: 'audited@operator.example', token: 'the-token-of-a-single-operator' };
const namedOperators = { [auditedOperator.name]: auditedOperator.token };

/**
 * Starts the platform with all services as processes and a temporary data folder, which is removed at the end unless
 * `E2E_KEEP_DATA` is set.
 * @param variables an existing broker and database; by default, the platform starts its own
 * @param users those with which the services connect to the database
 */
export async function startTestPlatform(
  variables: OwnVariables = {},
  users?: Pick<StoreUsers, 'uriOf'>,
): Promise<TestPlatform> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-e2e-'));
  const platform = await Platform.start({
    settings: settingsIn(dataDir, { ...variables, OPERATOR_TOKENS: JSON.stringify(namedOperators) }),
    isolated: true,
    env: (service) => {
      const uri = users?.uriOf(service);
      return { ...generousLimits, ...(uri !== undefined && { MONGODB_URI: uri }) };
    },
  });
  const { credentials, broker } = platform;
  const managementUrl = broker.managementUrl ?? variables.BROKER_MANAGEMENT_URL ?? '';
  const shared: SharedPlatform = { credentials, dataDir, amqpUrl: broker.url, managementUrl };
  const file = path.join(dataDir, 'platform.json');
  writeFileSync(file, JSON.stringify(shared));
  return {
    file,
    async stop() {
      const discardsData = process.env['E2E_KEEP_DATA'] === undefined;
      await platform.stop({ discardsData });
      if (!discardsData) return;
      await removeFromServers(platform);
      removeData(dataDir);
    },
  };
}
