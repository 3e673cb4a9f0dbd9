import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CannotRun, closingAlso, openTarget, type Scenario } from './scenario';

const diskMb = 384;
const fullMs = 5_000;
const refillEveryMs = 50;
const block = Buffer.alloc(64 * 1024);

function mount(folder: string): void {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    rmdirSync(folder);
    const [line] = String((error as { stderr?: Buffer }).stderr ?? error).split('\n');
    throw new CannotRun(`a small disk needs root and mount: ${line}`);
  }
}

/** Writes until the disk is completely full. */
function fill(file: number): void {
  for (let bytes = block; ;) {
    try {
      writeSync(file, bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      if (bytes.length === 1) return;
      bytes = bytes.subarray(0, bytes.length >> 1);
    }
  }
}

/** The platform's data, logs and e-mails on a disk that is temporarily full. */
export function fullDisk(): Scenario {
  let folder = '';
  return {
    async open() {
      folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-disk-'));
      mount(folder);
      return closingAlso(openTarget({ restart: true }, { DATA_DIR: path.join(folder, 'data') }), () => {
        execFileSync('umount', [folder]);
        rmdirSync(folder);
      });
    },
    faults: [
      {
        name: 'database disk full',
        async inject() {
          const name = path.join(folder, 'filler');
          const file = openSync(name, 'w');
          try {
            // Fills any space that has been freed in the meantime.
            for (const end = performance.now() + fullMs; performance.now() < end;) {
              fill(file);
              await pause(refillEveryMs);
            }
          } finally {
            closeSync(file);
            rmSync(name);
          }
        },
      },
    ],
  };
}
