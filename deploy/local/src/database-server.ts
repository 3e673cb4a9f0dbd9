import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Child } from './child';
import { forAnswering } from './node-flags';
import { freePort } from './network';
import { OwnedProcess } from './owned-process';
import { externalServer, type Server } from './server';
import { checkDatabase } from './check-connectivity';

/** The MongoDB that the services use. */
export interface DatabaseServer extends Server {
  readonly uri: string;
}

export interface DatabaseSearch {
  readonly mongodbUri: string | undefined;
  readonly dataDir: string;
  /** The password of the embedded server's only user. If absent, the server has no authentication. */
  readonly password?: string;
  /** False to disable the expiry of documents, for services whose clocks differ from the machine's. */
  readonly expires?: boolean;
  /** True to make the embedded server read queries without a sort backwards, for tests. */
  readonly readsBackwards?: boolean;
  /** The executable of Node.js for the embedded server; default: that of this process. */
  readonly nodePath?: string | undefined;
  readonly onUnexpectedExit?: (reason: string) => void;
}

const privateUser = 'receipts';

function hasMongod(): boolean {
  return spawnSync('mongod', ['--version'], { stdio: 'ignore' }).status === 0;
}

/**
 * Stops a process when this process ends, even if this process is killed: a shell waits for the end of its standard
 * input, which is a pipe from this process.
 */
function endWithLauncher(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const command = ['-c', 'cat > /dev/null; kill "$0"', String(child.pid)];
  const watcher = spawn('/bin/sh', command, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  watcher.unref();
  child.once('exit', () => watcher.kill('SIGKILL'));
}

class Mongod extends OwnedProcess implements DatabaseServer {
  readonly origin = 'private mongod';
  readonly isPrivate = true;

  constructor(
    private readonly search: DatabaseSearch,
    private readonly port: number,
  ) {
    super('mongod', search.onUnexpectedExit);
  }

  get uri(): string {
    return `mongodb://127.0.0.1:${this.port}/`;
  }

  protected spawn(): ChildProcess {
    const dbpath = path.join(this.search.dataDir, 'mongodb');
    mkdirSync(dbpath, { recursive: true });
    const args = [
      '--dbpath',
      dbpath,
      '--port',
      String(this.port),
      '--bind_ip',
      '127.0.0.1',
      '--quiet',
      ...(this.search.expires === false ? ['--setParameter', 'ttlMonitorEnabled=false'] : []),
    ];
    const child = spawn('mongod', args, { stdio: 'ignore', detached: true });
    endWithLauncher(child);
    return child;
  }

  protected untilReady(): Promise<void> {
    return this.untilListening({ port: this.port });
  }

  protected details(): string {
    return '';
  }
}

class EmbeddedMongo extends Child implements DatabaseServer {
  readonly origin = 'embedded-mongo';
  readonly isPrivate = true;
  readonly uri: string;

  constructor(search: DatabaseSearch, port: number) {
    const { dataDir, password, expires, readsBackwards, nodePath, onUnexpectedExit } = search;
    super({
      name: 'embedded-mongo',
      script: path.resolve(__dirname, '../../../libs/embedded-mongo/dist/main.js'),
      nodeFlags: forAnswering(),
      nodePath,
      args: [
        '--path',
        path.join(dataDir, 'embedded-mongo'),
        '--port',
        String(port),
        ...(password === undefined ? [] : ['--user', privateUser]),
        ...(expires === false ? ['--sweep-every-ms', '2147483647'] : []),
        ...(readsBackwards === true ? ['--reads-backwards'] : []),
      ],
      env: { ...process.env, ...(password !== undefined && { EMBEDDED_MONGO_PASSWORD: password }) },
      logDir: path.join(dataDir, 'logs'),
      onUnexpectedExit,
    });
    const credentials = password === undefined ? '' : `${privateUser}:${password}@`;
    this.uri = `mongodb://${credentials}127.0.0.1:${port}/`;
  }
}

/**
 * Finds or starts MongoDB: at the given URI, otherwise a `mongod` from the PATH with its own data folder, otherwise the
 * embedded server. A server on this machine is never used unless it is specified.
 * @throws a one-line Error if the given server does not accept the connection
 */
export async function findDatabase(search: DatabaseSearch): Promise<DatabaseServer> {
  const { mongodbUri } = search;
  if (mongodbUri !== undefined) {
    await checkDatabase(mongodbUri, 'MONGODB_URI');
    return { uri: mongodbUri, ...externalServer('MONGODB_URI') };
  }
  const server = new (hasMongod() ? Mongod : EmbeddedMongo)(search, await freePort());
  await server.start();
  return server;
}
