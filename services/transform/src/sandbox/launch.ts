import { fork, type ChildProcess } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { ChildKind } from './child-kind';

/** Tests run the sources, but the sandboxed process always runs the compiled files. */
const folder = __filename.endsWith('.ts') ? join(__dirname, '../../dist/sandbox') : __dirname;
const childPath = join(folder, 'child.js');

function folderOfModules(): string {
  const path = realpathSync(require.resolve('jsonata'));
  return path.slice(0, path.lastIndexOf(`${sep}node_modules${sep}`));
}

/**
 * Node's permission model: no writing, no child processes, no workers and no native code; only the code of the service
 * and its libraries can be read.
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
 * A young generation large enough for a batch of packets. V8's default is a 128th of a small heap, so short-lived
 * objects would be promoted and copied.
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
