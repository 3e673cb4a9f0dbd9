import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DemoCredentials } from '@receipts/local';
import { freePort, until } from '@receipts/testing';
import { StartedProcess } from './harness/started-process';

const root = path.resolve(__dirname, '..');
/** The time in which `npm start` must stop. */
const stopsWithinMs = 15_000;
const isLinux = existsSync('/proc/self/environ');
let dataDir: string;
const posted: string[] = [];

/** The contents of a file under /proc; nothing for processes that have ended or belong to another user. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The running processes whose environment names the data folder, which are npm, the launcher and all parts. */
function processes(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/environ`).includes(dataDir))
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`);
}

function killAll(): void {
  for (const left of processes()) {
    try {
      process.kill(Number.parseInt(left, 10), 'SIGKILL');
    } catch {
      // It has ended with its parent.
    }
  }
}

/** `npm start` in a separate process group, as a supervisor would start it. */
class Started extends StartedProcess {
  constructor(port: number) {
    const { AMQP_URL: _amqp, MONGODB_URI: _mongo, ...environment } = process.env;
    const env = { ...environment, DATA_DIR: dataDir, PORT: String(port) };
    super('npm', ['start'], { cwd: root, env, detached: true });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The process below npm. */
  get launcher(): number {
    return Number(read(`/proc/${this.pid}/task/${this.pid}/children`).trim());
  }
}

const credentials = () =>
  JSON.parse(readFileSync(path.join(dataDir, 'demo-credentials.json'), 'utf8')) as DemoCredentials;

function call(target: string, body?: object): Promise<Response> {
  const { baseUrl, bearer } = credentials();
  return fetch(`${baseUrl}${target}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${bearer.token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** Posts a receipt, and checks that all receipts that were posted before are still there. */
async function useIt(): Promise<void> {
  for (const id of posted) expect([id, (await call(`/receipts/${id}`)).status]).toEqual([id, 200]);
  const answer = await call('/receipts', {
    transaction_id: `T-${posted.length}`,
    localtime: '2026-03-14T12:30:00',
    store_reference: 1,
    total: 5.49,
    items: [{ name: 'Café crème', quantity: 2, total: 5.49 }],
  });
  expect(answer.status).toBe(201);
  posted.push(((await answer.json()) as { id: string }).id);
}

beforeAll(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-stop-'));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

type Target = 'npm' | 'the process group' | 'the launcher below npm';
const targets: Readonly<Record<Target, (started: Started) => number>> = {
  npm: ({ pid }) => pid,
  'the process group': ({ pid }) => -pid,
  'the launcher below npm': ({ launcher }) => launcher,
};

(isLinux ? describe : describe.skip)('npm start leaves nothing running and loses nothing', () => {
  it.each<[NodeJS.Signals, Target, string]>([
    ['SIGTERM', 'npm', 'Ready after'],
    ['SIGINT', 'the process group', 'Ready after'],
    ['SIGHUP', 'npm', 'Ready after'],
    ['SIGKILL', 'npm', 'Ready after'],
    ['SIGKILL', 'the launcher below npm', 'Ready after'],
    // During the start of the services.
    ['SIGINT', 'npm', 'MongoDB: '],
    ['SIGTERM', 'the process group', 'MongoDB: '],
    ['SIGHUP', 'the process group', 'MongoDB: '],
  ])('%s to %s after "%s"', async (signal, target, said) => {
    const started = new Started(await freePort());
    try {
      await started.says(said);
      if (said === 'Ready after') await useIt();
      expect(processes().length).toBeGreaterThan(3);
      process.kill(targets[target](started), signal);
      await until('nothing is left', () => processes().length === 0, stopsWithinMs);
    } finally {
      killAll();
    }
  });

  it('keeps every receipt', async () => {
    const started = new Started(await freePort());
    await started.says('Ready after');
    await useIt();
    expect(posted).toHaveLength(6);
    killAll();
    await until('nothing is left', () => processes().length === 0);
  });
});
