import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Platform, readLocalSettings } from '@receipts/local';

declare global {
  var e2ePlatform: Platform | undefined;
}

/**
 * Tests run in parallel, so a service may respond more slowly than tills would accept. The real limits are tested
 * separately under controlled conditions.
 */
const generousLimits = { ANSWER_TIMEOUT_MS: '30000', ANSWER_DELAY_MS_MAX: '0', LOOP_LAG_MS_MAX: '0' };

/** Starts one platform for all end-to-end tests, with all services as processes and a temporary data folder. */
export default async function globalSetup(): Promise<void> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-e2e-'));
  const environment = {
    ...process.env,
    PORT: '0',
    DATA_DIR: dataDir,
    AMQP_URL: undefined,
    MONGODB_URI: undefined,
  };
  const settings = readLocalSettings(environment, process.cwd());
  const platform = await Platform.start({ settings, isolated: true, env: generousLimits });
  const file = path.join(dataDir, 'platform.json');
  writeFileSync(
    file,
    JSON.stringify({ credentials: platform.credentials, dataDir, amqpUrl: platform.broker.url }),
  );
  process.env['E2E_PLATFORM_FILE'] = file;
  globalThis.e2ePlatform = platform;
}
