// `npm run load-sample -- --count 1000000`: fills a retailer of the platform that runs on this machine with generated receipts.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { bootstrap, root } from './bootstrap.mjs';

bootstrap('platform');
const dataDir = path.resolve(process.env.DATA_DIR || '.data');
let credentials;
try {
  credentials = JSON.parse(readFileSync(path.join(dataDir, 'demo-credentials.json'), 'utf8'));
} catch {
  process.stderr.write(
    `No platform has been started in ${dataDir}: npm start first, or name its DATA_DIR.\n`,
  );
  process.exit(1);
}
const { uri, platform } = credentials.database;
const loader = path.join(root, 'services/receipt-store/dist/load-sample.js');
// In a young generation of a megabyte, collecting garbage takes a third of the time.
const young = ['--min-semi-space-size=32', '--max-semi-space-size=64'];
const { status } = spawnSync(process.execPath, [...young, loader, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, MONGODB_URI: process.env.MONGODB_URI || uri, PLATFORM: platform },
});
process.exit(status ?? 1);
