import { fork, type ChildProcess } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/** What a sandboxed process is made for: processes of another kind cannot take the job. */
export interface ChildKind {
  readonly memoryMb: number;
  readonly pdf: boolean;
}

export const pdfMemoryMb = 256;

/** Sources run in tests, but a process runs what was built. */
const folder = __filename.endsWith('.ts') ? join(__dirname, '../../dist/sandbox') : __dirname;
const childPath = join(folder, 'child.js');

function folderOfModules(): string {
  const path = realpathSync(require.resolve('jsonata'));
  return path.slice(0, path.lastIndexOf(`${sep}node_modules${sep}`));
}

/**
 * The permission model of Node: no writing, no processes, no workers, no native code, and only the code of the service and
 * of its libraries can be read.
 */
function permissionFlags(): string[] {
  const flag = process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission';
  const root = folderOfModules();
  const own = dirname(dirname(folder));
  const readable = [join(root, 'node_modules'), join(root, 'libs'), join(root, 'package.json'), own];
  return [
    flag,
    ...readable.map((path) => `--allow-fs-read=${path}${path.endsWith('.json') ? '' : `${sep}*`}`),
  ];
}

/**
 * A young generation that holds what a batch of packets needs: V8 makes it a 128th of a small heap, and then copies what
 * is garbage a moment later.
 */
const youngGenerationMb = 8;

/** The flags of a sandboxed process. */
export function sandboxFlags(memoryMb: number): string[] {
  return [
    `--max-old-space-size=${memoryMb}`,
    `--min-semi-space-size=${youngGenerationMb}`,
    `--max-semi-space-size=${youngGenerationMb}`,
    '--disallow-code-generation-from-strings',
    '--no-warnings',
    ...permissionFlags(),
  ];
}

export function launch(kind: ChildKind): ChildProcess {
  return fork(childPath, kind.pdf ? ['--pdf'] : [], {
    execArgv: sandboxFlags(kind.memoryMb),
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}
