// Runs a command of a service or library on the database of the platform on this machine. MONGODB_URI and
// RESOURCE_PREFIX, or DATA_DIR, determine the database:
// `node deploy/local/with-database.mjs <script> <arguments>`.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { bootstrap, root } from './bootstrap.mjs';

await bootstrap('platform');
const [script, ...args] = process.argv.slice(2);

const dataDir = path.resolve(process.env.DATA_DIR || '.data');

/** The URL written by `npm start`. */
function database() {
  const file = path.join(dataDir, 'demo-credentials.json');
  try {
    const { uri, platform } = JSON.parse(readFileSync(file, 'utf8')).database;
    return { MONGODB_URI: uri, RESOURCE_PREFIX: platform };
  } catch {
    if (args.includes('--help')) return {};
    process.stderr.write(
      `No platform was started in ${dataDir}: run npm start first, or set DATA_DIR or MONGODB_URI.\n`,
    );
    process.exit(1);
  }
}

const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
// With a young generation of one megabyte, garbage collection takes a third of the time.
const young = ['--min-semi-space-size=32', '--max-semi-space-size=64'];
const { status } = spawnSync(process.execPath, [...young, path.join(root, script), ...args], {
  stdio: 'inherit',
  env: given.MONGODB_URI === undefined ? { ...given, ...database() } : given,
});
process.exit(status ?? 1);
