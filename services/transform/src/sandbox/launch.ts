import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/** What a sandboxed process is made for: processes of another kind cannot take the job. */
export interface ChildKind {
  readonly memoryMb: number;
  readonly pdf: boolean;
}

export const pdfMemoryMb = 256;

/** Sources run in tests, but a process runs what was built. */
const childPath = __filename.endsWith('.ts')
  ? join(__dirname, '../../dist/sandbox/child.js')
  : require.resolve('./child');

function folderOfModules(): string {
  const path = realpathSync(require.resolve('jsonata'));
  return path.slice(0, path.lastIndexOf(`${sep}node_modules${sep}`));
}

/**
 * The permission model of Node is a second wall: no writing, no processes, no workers, no native code, and only the code
 * of the service and of its libraries can be read.
 */
function walls(): string[] {
  const flag = process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission';
  const root = folderOfModules();
  const own = dirname(dirname(dirname(childPath)));
  const readable = [join(root, 'node_modules'), join(root, 'libs'), join(root, 'package.json'), own];
  return [
    flag,
    ...readable.map((path) => `--allow-fs-read=${path}${path.endsWith('.json') ? '' : `${sep}*`}`),
  ];
}

export function launch(kind: ChildKind): ChildProcess {
  return fork(childPath, kind.pdf ? ['--pdf'] : [], {
    execArgv: [`--max-old-space-size=${kind.memoryMb}`, '--no-warnings', ...walls()],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

const millisecondsPerTick = 10;

/** The processor time that a process has used, in milliseconds; undefined where the system does not tell. */
export function cpuMsOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * millisecondsPerTick;
  } catch {
    return undefined;
  }
}
