import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DemoCredentials } from '@receipts/local';
import { freePort, until } from '@receipts/testing';

const script = path.resolve(__dirname, '../deploy/local/dist/start.js');
const ordinaryUser = 65_534;
const startsWithinMs = 120_000;

/** `npm start` after compilation, as a user other than root. */
class Started {
  output = '';
  private readonly process: ChildProcess;
  private readonly ended: Promise<number | null>;

  constructor(dataDir: string, variables: NodeJS.ProcessEnv) {
    const { AMQP_URL: _amqp, MONGODB_URI: _mongo, ...environment } = process.env;
    const env = { ...environment, HOME: dataDir, DATA_DIR: dataDir, ...variables };
    // Of root's capabilities only the one to read all files is kept. It simulates a checkout that the user can read.
    const asUser = ['--reuid', ordinaryUser, '--regid', ordinaryUser, '--clear-groups'].map(String);
    const mayRead = ['--inh-caps', '-all,+dac_read_search', '--ambient-caps', '-all,+dac_read_search'];
    const [command, args] =
      process.getuid?.() === 0
        ? ['setpriv', [...asUser, ...mayRead, process.execPath, script]]
        : [process.execPath, [script]];
    this.process = spawn(command, args, { env, cwd: dataDir, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString('utf8')));
    }
    this.ended = new Promise((resolve) => this.process.once('exit', resolve));
  }

  async says(text: string): Promise<void> {
    await until(`"${text}" in: ${this.output}`, () => this.output.includes(text), startsWithinMs);
  }

  end(): Promise<number | null> {
    return this.ended;
  }

  stop(): Promise<number | null> {
    this.process.kill('SIGINT');
    return this.ended;
  }
}

/** The process id of the private broker in a data folder. */
function processOf(dir: string): number {
  return Number(readFileSync(path.join(dir, 'rabbitmq', 'node.pid'), 'utf8'));
}

describe('npm start as an ordinary user', () => {
  let dataDir: string;
  let port: number;
  let platform: Started;
  let credentials: DemoCredentials;

  beforeAll(async () => {
    dataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-start-'));
    if (process.getuid?.() === 0) chownSync(dataDir, ordinaryUser, ordinaryUser);
    chmodSync(dataDir, 0o755);
    port = await freePort();
    platform = new Started(dataDir, { PORT: String(port) });
    await platform.says('Ready after');
    credentials = JSON.parse(readFileSync(path.join(dataDir, 'demo-credentials.json'), 'utf8'));
  }, startsWithinMs);
  afterAll(async () => {
    expect(await platform.stop()).toBe(0);
    rmSync(dataDir, { recursive: true, force: true });
  }, 60_000);

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

  it('takes a receipt, on this machine alone', async () => {
    expect(credentials.baseUrl).toBe(`http://127.0.0.1:${port}`);
    expect((await post('T-1')).status).toBe(201);
    const others = Object.values(os.networkInterfaces()).flatMap((addresses) => addresses ?? []);
    for (const { address, family, internal } of others) {
      if (internal || family !== 'IPv4') continue;
      await expect(fetch(`http://${address}:${port}/receipts`)).rejects.toThrow();
    }
  });

  it('keeps its data to itself, and lets nobody into the broker without its password', async () => {
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

  it('a second one on the same folder, or on the same port, says so and leaves the first alone', async () => {
    const sameFolder = new Started(dataDir, { PORT: String(await freePort()) });
    expect(await sameFolder.end()).toBe(1);
    expect(sameFolder.output).toMatch(/Process \d+ runs a platform on the data folder/);
    const elsewhere = mkdtempSync(path.join(os.tmpdir(), 'receipts-start-'));
    if (process.getuid?.() === 0) chownSync(elsewhere, ordinaryUser, ordinaryUser);
    const samePort = new Started(elsewhere, { PORT: String(port) });
    expect(await samePort.end()).toBe(1);
    expect(samePort.output).toContain(`Port ${port} of 127.0.0.1 is in use already`);
    expect(readdirSync(elsewhere)).toEqual([]);
    rmSync(elsewhere, { recursive: true, force: true });
    expect((await post('T-2')).status).toBe(201);
  }, 30_000);

  it('starts a broker again that dies', async () => {
    process.kill(processOf(dataDir), 'SIGKILL');
    await platform.says('RabbitMQ ended unexpectedly (SIGKILL) and is started again');
    await platform.says('RabbitMQ runs again');
    await until('receipts are taken again', async () => (await post('T-3')).status !== 503, 30_000);
  }, 60_000);
});

describe('npm start with what it cannot use', () => {
  it.each([
    [
      { AMQP_URL: 'amqp://someone:secret@127.0.0.1:1' },
      'No RabbitMQ answers at amqp://someone:***@127.0.0.1:1 (AMQP_URL)',
    ],
    [
      { MONGODB_URI: 'mongodb://someone:secret@127.0.0.1:1' },
      'No MongoDB answers at mongodb://someone:***@127.0.0.1:1',
    ],
    [{ AMQP_URL: 'redis://127.0.0.1' }, 'AMQP_URL must begin with amqp:// or amqps://'],
  ])(
    '%j: one clear line',
    async (variables, message) => {
      const dataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-start-'));
      if (process.getuid?.() === 0) chownSync(dataDir, ordinaryUser, ordinaryUser);
      const failed = new Started(dataDir, { PORT: String(await freePort()), ...variables });
      expect(await failed.end()).toBe(1);
      expect(failed.output).toContain(message);
      expect(failed.output).not.toContain('secret');
      expect(failed.output).not.toMatch(/\n\s+at /);
      rmSync(dataDir, { recursive: true, force: true });
    },
    60_000,
  );
});
