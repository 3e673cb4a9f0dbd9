import { rmSync } from 'node:fs';

export default async function globalTeardown(): Promise<void> {
  const platform = globalThis.e2ePlatform;
  if (!platform) return;
  await platform.stop();
  if (process.env['E2E_KEEP_DATA'] === undefined)
    rmSync(platform.settings.dataDir, { recursive: true, force: true });
}
