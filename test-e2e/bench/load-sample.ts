import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Platform } from '@receipts/local';

const loader = path.resolve(__dirname, '../../../services/receipt-store/dist/testing/load-sample-process.js');
/** The default of `npm run load-sample`. */
const youngGeneration = ['--min-semi-space-size=32', '--max-semi-space-size=64'];
const loadTimeoutMs = 60 * 60_000;
const outputBytesMax = 16 * 1024 * 1024;

/** Adds generated receipts to the demo retailer, and prints how long it took. */
export async function loadSample(platform: Platform, first: number, count: number): Promise<void> {
  const begun = performance.now();
  const { retailer } = platform.credentials;
  const args = ['--retailer', retailer, '--first', `${first}`, '--count', `${count}`];
  const { name, database } = platform;
  const env = { ...process.env, MONGODB_URI: database.uri, RESOURCE_PREFIX: name };
  await promisify(execFile)(process.execPath, [...youngGeneration, loader, ...args], {
    env,
    timeout: loadTimeoutMs,
    maxBuffer: outputBytesMax,
  });
  const seconds = Math.round((performance.now() - begun) / 1000);
  console.log(
    `${first + count} receipts; the last ${count} were loaded in ${seconds} s, ${Math.round(count / seconds)} per second`,
  );
}
