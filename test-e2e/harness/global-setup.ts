import { startTestPlatform, type TestPlatform } from './test-platform';

declare global {
  var e2ePlatform: TestPlatform | undefined;
}

/** Starts the platform that the end-to-end tests share, unless `npm test` has started it. */
export default async function globalSetup(): Promise<void> {
  if (process.env['E2E_PLATFORM_FILE'] !== undefined) return;
  globalThis.e2ePlatform = await startTestPlatform();
  process.env['E2E_PLATFORM_FILE'] = globalThis.e2ePlatform.file;
}
