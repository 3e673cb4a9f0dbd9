import { rmSync } from 'node:fs';

export default async function globalTeardown(): Promise<void> {
  const platform = globalThis.e2ePlatform;
  if (!platform) return;
  const discardsData = process.env['E2E_KEEP_DATA'] === undefined;
  await platform.stop({ discardsData });
  if (discardsData) rmSync(platform.settings.dataDir, { recursive: true, force: true });
}
