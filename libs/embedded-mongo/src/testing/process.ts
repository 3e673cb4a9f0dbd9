import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const dist = join(__dirname, '../../dist');
const main = join(dist, 'main.js');

/** A server that constantly takes checkpoints, for which main.js has no argument. */
const smallCheckpoints = `
  const checkpoint = { logBytes: 64 * 1024, ms: 20 };
  require(${JSON.stringify(dist)}).startEmbeddedMongo({ path: process.argv[1], checkpoint }).then(
    (server) => {
      process.on('SIGTERM', () => server.close().then(() => process.exit(0)));
      console.log('listening on ' + server.port);
    },
    (e) => {
      console.error(e.message);
      process.exit(1);
    },
  );
`;
const startMs = 20_000;

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly uri: string;
  /** The output of the server on stderr. */
  errors(): string;
  /** Sends a signal and waits for the exit. Returns the exit code, or null if the signal killed the process. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a built server that takes a checkpoint every few writes. */
export const startWithSmallCheckpoints = (folder: string): Promise<ServerProcess> =>
  run([process.execPath, '-e', smallCheckpoints, folder]);

/**
 * Starts the built server as a separate process.
 * @param limitKiB limits the size of its files, to simulate a full disk
 */
export const startProcess = (
  folder: string,
  args: string[] = [],
  limitKiB?: number,
): Promise<ServerProcess> => run([process.execPath, main, '--path', folder, ...args], limitKiB);

async function run(command: readonly string[], limitKiB?: number): Promise<ServerProcess> {
  const child =
    limitKiB === undefined
      ? spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] })
      : // With SIGXFSZ ignored, a write beyond the limit fails with EFBIG instead of killing the process.
        spawn('bash', ['-c', `trap '' XFSZ; ulimit -f ${limitKiB}; exec "$@"`, 'bash', ...command], {
          stdio: ['ignore', 'pipe', 'pipe'],
        });
  let errors = '';
  child.stderr.on('data', (b: Buffer) => (errors += b.toString()));
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const port = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`not listening after ${startMs} ms: ${errors}`)),
      startMs,
    );
    child.stdout.once('data', (b: Buffer) => {
      clearTimeout(timer);
      resolve(Number(/^listening on (\d+)\n/.exec(b.toString())![1]));
    });
    void exited.then(([code]) => {
      clearTimeout(timer);
      reject(new Error(`ended with ${code}: ${errors}`));
    });
  });
  return {
    child,
    uri: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    errors: () => errors,
    end: async (signal) => {
      child.kill(signal);
      return (await exited)[0];
    },
  };
}
