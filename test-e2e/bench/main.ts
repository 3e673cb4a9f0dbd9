import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Platform, readLocalSettings } from '@receipts/local';
import { bearerToken } from '../harness/credentials';
import { loadSample } from './load-sample';
import { Paths } from './paths';
import { Peer, platformSubject } from './subjects';
import { table } from './table';

/**
 * `npm run bench`: the platform, started separately, next to two monoliths on the same database server (see `peer.ts`).
 * Prints one table in about five minutes. It fails if a subject rejects or loses a request.
 *
 * - `--seconds 3 --rounds 3 --connections 64`: how long, how often, with how many connections each path is measured.
 * - `--receipts 1000000`: with this many receipts on the platform.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    receipts: { type: 'string', default: '0' },
  },
});

function wholeNumber(name: keyof typeof values, least = 1): number {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < least)
    throw new Error(`--${name} must be a whole number from ${least}`);
  return value;
}

async function main(): Promise<boolean> {
  const options = {
    seconds: wholeNumber('seconds'),
    rounds: wholeNumber('rounds'),
    connections: wholeNumber('connections'),
  };
  const receipts = wholeNumber('receipts', 0);
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-bench-'));
  const { AMQP_URL: _amqp, MONGODB_URI: _mongo, ...inherited } = process.env;
  console.log(`${os.cpus().length} cores, Node ${process.versions.node}. Starting a separate platform ...`);
  const settings = readLocalSettings({ ...inherited, PORT: '0', DATA_DIR: dataDir }, process.cwd());
  const platform = await Platform.start({ settings, isolated: true });
  const peers: Peer[] = [];
  try {
    if (receipts > 0) await loadSample(platform, 0, receipts);
    for (const role of ['equal', 'storing'] as const) {
      peers.push(await Peer.start(role, platform, path.join(dataDir, 'logs')));
    }
    const { kid, secret } = platform.credentials.bearer;
    const token = bearerToken({ key: kid, secret });
    const paths = new Paths(platform, [platformSubject(platform), ...peers], token, options);
    await paths.measure();
    console.log(`\n\n${table(paths.rows, ['equal', 'storing'])}\n`);
    for (const problem of paths.problems) console.log(`FAILED: ${problem}`);
    return paths.problems.length === 0;
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()));
    await platform.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

main().then(
  (ok) => process.exit(ok ? 0 : 1),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
