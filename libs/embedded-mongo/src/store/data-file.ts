import { execFile, type ExecFileException } from 'node:child_process';
import { promisify } from 'node:util';
import { dataFileOf } from './environment';

const run = promisify(execFile);

const readTransaction = `
  const { open } = require('lmdb');
  const file = open({ path: process.argv[1], noSubdir: false, readOnly: true });
  process.stdout.write(String(file.getStats().lastTxnId));
`;

/**
 * The id of the newest transaction in the data file of a folder. Another process reads it: opening a file whose first
 * page is damaged crashes the process (lmdb 3.5.6), and no process can open a file a second time to read the state
 * before the newest transaction.
 * @throws Error if the file is damaged
 */
export async function newestTransaction(folder: string): Promise<number> {
  try {
    const { stdout } = await run(process.execPath, ['-e', readTransaction, folder], { cwd: __dirname });
    return Number(stdout);
  } catch (error) {
    const { code, signal } = error as ExecFileException;
    const end = signal ?? `exit code ${code}`;
    throw new Error(`the data file ${dataFileOf(folder)} is damaged: LMDB cannot open it (${end})`, {
      cause: error,
    });
  }
}
