import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { openRolling, roll, rollingOrder } from './rolling';
import { CannotRun, closingAlso, type Stage } from './stages';

const run = promisify(execFile);
const root = path.resolve(__dirname, '../../..');
const outputBytesMax = 16 * 1024 * 1024;

const git = async (...args: string[]) => (await run('git', args, { cwd: root })).stdout.trim();

/** The given release, or the last one. */
async function revisionOf(named: string): Promise<string> {
  const revision =
    named === '' ? git('describe', '--tags', '--abbrev=0') : git('rev-parse', '--short', named);
  return revision.catch(() => {
    throw new CannotRun('no release to come from: --from names a tag or a commit of this repository');
  });
}

/** Builds a release in a separate folder, with the packages of its lock file. */
async function build(revision: string, folder: string): Promise<void> {
  await git('worktree', 'add', '--detach', folder, revision);
  const inFolder = { cwd: folder, maxBuffer: outputBytesMax };
  await run('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline', '--omit=dev'], inFolder);
  const compiler = path.join(folder, 'node_modules/@typescript/native/bin/tsc');
  await run(process.execPath, [compiler, '-b', 'tsconfig.platform.json'], inFolder);
}

/** @param from a tag or commit; the last tag if empty */
export function upgradeStage(from: string): Stage {
  const upgraded = new Set<string>();
  return {
    async open() {
      const revision = await revisionOf(from);
      const scratch = mkdtempSync(path.join(os.tmpdir(), 'receipts-release-'));
      const folder = path.join(scratch, revision);
      const remove = async () => {
        await git('worktree', 'remove', '--force', folder).catch(() => undefined);
        rmSync(scratch, { recursive: true, force: true });
      };
      try {
        await build(revision, folder);
        const ground = await openRolling((name) => (upgraded.has(name) ? root : folder));
        return closingAlso(ground, remove);
      } catch (error) {
        await remove();
        throw error;
      }
    },
    faults: [
      {
        name: `upgrade from ${from === '' ? 'the last release' : from}`,
        refusesNothing: true,
        once: true,
        async inflict(ground) {
          for (const name of rollingOrder) {
            upgraded.add(name);
            await roll(ground, name);
          }
        },
      },
    ],
  };
}
