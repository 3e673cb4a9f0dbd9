import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { findDatabase, serviceNames, type DemoCredentials } from '@receipts/local';
import { freePort, until } from '@receipts/testing';
import { StartedProcess } from './harness/started-process';

const root = path.resolve(__dirname, '..');
const script = path.resolve(__dirname, '../deploy/local/dist/start.js');
const ordinaryUser = 65_534;

const run = promisify(execFile);

/** `npm start` after compilation, as a user other than root. */
class Started extends StartedProcess {
  constructor(dataDir: string, variables: NodeJS.ProcessEnv) {
    const { AMQP_URL: _amqp, MONGODB_URI: _mongo, ...environment } = process.env;
    const env = { ...environment, HOME: dataDir, DATA_DIR: dataDir, ...variables };
    // Only one of root's capabilities is kept: reading all files. It simulates a checkout that the user can read.
    const asUser = ['--reuid', ordinaryUser, '--regid', ordinaryUser, '--clear-groups'].map(String);
    const mayRead = ['--inh-caps', '-all,+dac_read_search', '--ambient-caps', '-all,+dac_read_search'];
    const [command, args] =
      process.getuid?.() === 0
        ? ['setpriv', [...asUser, ...mayRead, process.execPath, script]]
        : [process.execPath, [script]];
    super(command, args, { env, cwd: dataDir });
  }

  stop(): Promise<number | null> {
    this.child.kill('SIGINT');
    return this.ended;
  }
}

const defaultPorts = [5672, 27017];

/** Accepts connections on a port and never responds. A port that another process already uses is just as suitable. */
async function occupy(port: number): Promise<net.Server> {
  const server = net.createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve() : reject(error),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}

/** The process id of the private broker in a data folder. */
function processOf(dir: string): number {
  return Number(readFileSync(path.join(dir, 'rabbitmq', 'node.pid'), 'utf8'));
}

/** The process id of a service, from the line that reports its readiness. */
function processOfService(dir: string, name: string): number {
  const lines = readFileSync(path.join(dir, 'logs', `${name}.log`), 'utf8').split('\n');
  const ready = lines.findLast((line) => line.includes('"pid":'));
  return (JSON.parse(ready ?? '{}') as { readonly pid: number }).pid;
}

const listening = '0A';
const loopback = ['0100007F', '00000000000000000000000001000000'];
/** The lists of this machine's sockets, if such files exist. */
const socketLists = ['/proc/net/tcp', '/proc/net/tcp6'].filter((file) => existsSync(file));

/** The local addresses, in hexadecimal, on which a user's processes accept connections. */
function listenersOf(user: number): readonly string[] {
  const rows = socketLists.flatMap((file) => readFileSync(file, 'utf8').split('\n').slice(1));
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state, , , , uid]) => state === listening && Number(uid) === user)
    .map(([, local]) => local?.split(':')[0] ?? '');
}

/** Only root's tests start it as a user who has no other processes. */
const itAsRoot = process.getuid?.() === 0 && socketLists.length > 0 ? it : it.skip;

describe('npm start as an ordinary user', () => {
  let dataDir: string;
  let port: number;
  let platform: Started;
  let credentials: DemoCredentials;
  let occupied: net.Server[];
  const largeLog = () => path.join(dataDir, 'logs', 'large.log');

  beforeAll(async () => {
    dataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-start-'));
    if (process.getuid?.() === 0) chownSync(dataDir, ordinaryUser, ordinaryUser);
    chmodSync(dataDir, 0o755);
    occupied = await Promise.all(defaultPorts.map(occupy));
    port = await freePort();
    platform = new Started(dataDir, { PORT: String(port) });
    await platform.says('Ready after');
    credentials = JSON.parse(readFileSync(path.join(dataDir, 'demo-credentials.json'), 'utf8'));
    writeFileSync(largeLog(), Buffer.alloc(11 * 1024 * 1024), { mode: 0o600 });
    if (process.getuid?.() === 0) chownSync(largeLog(), ordinaryUser, ordinaryUser);
  });
  afterAll(async () => {
    expect(await platform.stop()).toBe(0);
    for (const server of occupied) server.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const post = (transactionId: string) =>
    fetch(`${credentials.baseUrl}/receipts`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${credentials.bearer.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        transaction_id: transactionId,
        localtime: '2026-03-14T12:30:00',
        store_reference: 1,
        total: 5.49,
        items: [{ name: 'Café crème', quantity: 2, total: 5.49 }],
      }),
    });

  it('uses a private broker and database regardless of what listens on their default ports', () => {
    expect(platform.output).toMatch(/RabbitMQ: private node; MongoDB: (embedded-mongo|private mongod)/);
    const used = [credentials.broker.url, credentials.database.uri].map((url) => Number(new URL(url).port));
    expect(used.filter((each) => defaultPorts.includes(each))).toEqual([]);
  });

  it('accepts a receipt from this machine only', async () => {
    expect(credentials.baseUrl).toBe(`http://127.0.0.1:${port}`);
    expect((await post('T-1')).status).toBe(201);
    const others = Object.values(os.networkInterfaces()).flatMap((addresses) => addresses ?? []);
    for (const { address, family, internal } of others) {
      if (internal || family !== 'IPv4') continue;
      await expect(fetch(`http://${address}:${port}/receipts`)).rejects.toThrow();
    }
  });

  itAsRoot('listens on no other address, not even with its broker, database or health checks', () => {
    const addresses = listenersOf(ordinaryUser);
    expect(addresses.length).toBeGreaterThanOrEqual(serviceNames.length + 3);
    expect(addresses.filter((address) => !loopback.includes(address))).toEqual([]);
  });

  it('protects its data, and protects the broker with a password', async () => {
    expect(statSync(dataDir).mode & 0o077).toBe(0);
    for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      expect([file, statSync(file).mode & 0o077]).toEqual([file, 0]);
    }
    const { connect } = await import('amqplib');
    const address = new URL(credentials.broker.url);
    expect(address.password.length).toBeGreaterThan(20);
    const open = connect({
      hostname: address.hostname,
      port: Number(address.port),
      username: 'guest',
      password: 'guest',
    });
    await expect(open).rejects.toThrow(/ACCESS_REFUSED|403/);
  });

  it('reports a second start on the same folder or port, without disturbing the first', async () => {
    const sameFolder = new Started(dataDir, { PORT: String(await freePort()) });
    expect(await sameFolder.ended).toBe(1);
    expect(sameFolder.output).toMatch(/Process \d+ is already running a platform on the data folder/);
    const elsewhere = mkdtempSync(path.join(os.tmpdir(), 'receipts-start-'));
    if (process.getuid?.() === 0) chownSync(elsewhere, ordinaryUser, ordinaryUser);
    const samePort = new Started(elsewhere, { PORT: String(port) });
    expect(await samePort.ended).toBe(1);
    expect(samePort.output).toContain(`Port ${port} of 127.0.0.1 is already in use`);
    expect(readdirSync(elsewhere)).toEqual([]);
    rmSync(elsewhere, { recursive: true, force: true });
    expect((await post('T-2')).status).toBe(201);
  });

  it('offers the page of a sample receipt, and a portal user who can sign in', async () => {
    const page = /A receipt +(\S+)/.exec(platform.output)?.[1] ?? '';
    expect(await (await fetch(page)).text()).toContain('SAMPLE-1');
    const [, portal = '', email = '', password = ''] =
      /Portal +(\S+) \((\S+), password (\S+)\)/.exec(platform.output) ?? [];
    const signIn = (typed: string) =>
      fetch(`${portal}sign-in`, {
        method: 'POST',
        body: new URLSearchParams({ email, password: typed }),
        redirect: 'manual',
      });
    expect((await signIn(`${password}x`)).status).toBe(403);
    const answer = await signIn(password);
    expect(answer.status).toBe(303);
    expect(answer.headers.get('set-cookie')).toContain('=');
  });

  it("prints each user's own link with the commands of the portal guide", async () => {
    const guide = readFileSync(path.join(root, 'docs/guides/portal.md'), 'utf8');
    const [create = '', print = ''] = ['npm run operator -- portal-user create', 'perl -pe'].map(
      (start) => guide.split('\n').find((line) => line.startsWith(start)) ?? '',
    );
    const lineFor = async (line: string, email: string) => {
      const text = line.replaceAll('clerk@example.com', email).replaceAll('.data', dataDir);
      const { stdout } = await run('sh', ['-c', text], {
        cwd: root,
        env: { ...process.env, DATA_DIR: dataDir },
      });
      return stdout.trim();
    };
    const linkOf = async (email: string) => {
      expect(await lineFor(create, email)).toContain(`${email} was created`);
      return until(`a link for ${email}`, () => lineFor(print, email).catch(() => undefined));
    };
    const first = await linkOf('ann@example.com');
    const second = await linkOf('bob@example.com');
    expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/portal\/password\?token=[\w.-]+$/);
    expect(second).not.toBe(first);
    expect(await lineFor(print, 'ann@example.com')).toBe(first);
  });

  it('is found by npm run backup through its data folder', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-backup-'));
    const backup = (...args: string[]) =>
      run('npm', ['run', '--silent', 'backup', '--', ...args], {
        cwd: root,
        env: { ...process.env, MONGODB_URI: '', DATA_DIR: dataDir },
      });
    expect((await backup('--help')).stdout).toMatch(/^Usage: npm run backup -- save <folder>/);
    const { stdout } = await backup('save', path.join(folder, 'saved'));
    expect(JSON.parse(stdout)).toMatchObject({ documents: expect.any(Number) });
    const { collections } = JSON.parse(readFileSync(path.join(folder, 'saved/manifest.json'), 'utf8'));
    const receipts = collections.find(({ collection }: { collection: string }) => collection === 'receipts');
    expect(receipts.documents).toBeGreaterThan(0);
    rmSync(folder, { recursive: true });
  });

  it('restarts a broker that dies', async () => {
    process.kill(processOf(dataDir), 'SIGKILL');
    await platform.says('RabbitMQ ended unexpectedly (SIGKILL) and is being restarted');
    await platform.says('RabbitMQ is running again');
    await until('receipts are accepted again', async () => (await post('T-3')).status !== 503);
  });

  it('protects the database with a password, and restarts it when it dies', async () => {
    const folder = path.join(dataDir, 'embedded-mongo');
    const log = () => readFileSync(path.join(dataDir, 'logs', 'embedded-mongo.log'), 'utf8');
    const port = Number(/listening on (\d+)/.exec(log())?.[1]);
    const stranger = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`);
    await expect(stranger.db('admin').command({ listDatabases: 1 })).rejects.toMatchObject({ code: 13 });
    await stranger.close();
    process.kill(Number(readFileSync(path.join(folder, 'server.lock'), 'utf8')), 'SIGKILL');
    await platform.says('MongoDB ended unexpectedly (SIGKILL) and is being restarted');
    await platform.says('MongoDB is running again');
    await until('receipts are accepted again', async () => (await post('T-5')).status === 201);
  });

  it('restarts a service that dies', async () => {
    process.kill(processOfService(dataDir, 'receipt-store'), 'SIGKILL');
    await platform.says('receipt-store ended unexpectedly (SIGKILL) and is being restarted');
    await platform.says('receipt-store is running again');
    await until('receipts are accepted again', async () => (await post('T-4')).status !== 503);
  });

  it('limits the size of its logs', async () => {
    await until(
      'the large one is moved',
      () => existsSync(`${largeLog()}.1`) && statSync(largeLog()).size === 0,
    );
  });

  it('reports in one line that the broker rejects its password', async () => {
    const address = new URL(credentials.broker.url);
    address.password = 'not-the-password';
    const dir = mkdtempSync(path.join(os.tmpdir(), 'receipts-start-'));
    if (process.getuid?.() === 0) chownSync(dir, ordinaryUser, ordinaryUser);
    const failed = new Started(dir, { PORT: String(await freePort()), AMQP_URL: address.href });
    expect(await failed.ended).toBe(1);
    expect(failed.output).toMatch(/RabbitMQ is not responding at \S+:\*\*\*@\S+ \(AMQP_URL\): .*403.*\n/);
    expect(failed.output).not.toContain('not-the-password');
    expect(failed.output).not.toMatch(/\n\s+at /);
    rmSync(dir, { recursive: true, force: true });
  });
});

describe('npm start with invalid settings', () => {
  it.each([
    [
      { AMQP_URL: 'amqp://someone:secret@127.0.0.1:1' },
      'RabbitMQ is not responding at amqp://someone:***@127.0.0.1:1 (AMQP_URL)',
    ],
    [
      { MONGODB_URI: 'mongodb://someone:secret@127.0.0.1:1' },
      'MongoDB is not responding at mongodb://someone:***@127.0.0.1:1',
    ],
    [{ AMQP_URL: 'redis://127.0.0.1' }, 'AMQP_URL must begin with amqp:// or amqps://'],
  ])('reports %j in one clear line', async (variables, message) => {
    const dataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-start-'));
    if (process.getuid?.() === 0) chownSync(dataDir, ordinaryUser, ordinaryUser);
    const failed = new Started(dataDir, { PORT: String(await freePort()), ...variables });
    expect(await failed.ended).toBe(1);
    expect(failed.output).toContain(message);
    expect(failed.output).not.toContain('secret');
    expect(failed.output).not.toMatch(/\n\s+at /);
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('reports a database that rejects its password in one clear line', async () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'receipts-start-'));
    if (process.getuid?.() === 0) chownSync(dir, ordinaryUser, ordinaryUser);
    const databaseDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-start-'));
    const database = await findDatabase({
      mongodbUri: undefined,
      dataDir: databaseDir,
      password: 'the-password',
    });
    try {
      const address = new URL(database.uri);
      address.password = 'not-the-password';
      const failed = new Started(dir, { PORT: String(await freePort()), MONGODB_URI: address.href });
      expect(await failed.ended).toBe(1);
      expect(failed.output).toMatch(
        /MongoDB is not responding at \S+:\*\*\*@\S+ \(MONGODB_URI\): .*[Aa]uthentication failed.*\n/,
      );
      expect(failed.output).not.toContain('the-password');
      expect(failed.output).not.toMatch(/\n\s+at /);
    } finally {
      await database.stop();
      rmSync(dir, { recursive: true, force: true });
      rmSync(databaseDir, { recursive: true, force: true });
    }
  });
});
