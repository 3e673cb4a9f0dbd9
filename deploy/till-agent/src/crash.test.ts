import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { until } from '@receipts/testing';
import { AgentProcess } from './testing/agent-process';
import { FakePlatform } from './testing/fake-platform';
import { cut, FakePrinter } from './testing/test-agent';

let data: string;
let platform: FakePlatform;
let agent: AgentProcess;

beforeEach(async () => {
  data = mkdtempSync(path.join(os.tmpdir(), 'till-agent-crash-'));
  platform = await FakePlatform.start();
});
afterEach(async () => {
  await agent.kill();
  platform.close();
});

/** The bodies of accepted jobs in order of first acceptance; a repeated key is the same job. */
function acceptedBodies(statuses: ReadonlyMap<string, number>): string[] {
  const byKey = new Map(
    platform.posts.map(({ headers, body }) => [String(headers['idempotency-key']), body]),
  );
  return [...statuses.keys()].map((key) => byKey.get(key) ?? '');
}

it('sends each accepted slip once, in order, with its own link, even if it is killed at any moment', async () => {
  const printer = await FakePrinter.start();
  const slips = 120;
  const kills = 15;
  const accepted = new Map<string, number>();
  const linkOfKey = new Map<string, string>();
  let requests = 0;
  platform.answers = ({ path: at, headers }) => {
    if (at !== '/pos/receipts') return undefined;
    if (++requests % 5 === 0) return { status: 503 };
    const key = String(headers['idempotency-key']);
    accepted.set(key, (accepted.get(key) ?? 0) + 1);
    if (headers['service-link'] !== undefined) linkOfKey.set(key, String(headers['service-link']));
    return undefined;
  };
  agent = await AgentProcess.start(platform.url, data, '--qr', '--printer', `127.0.0.1:${printer.port}`);
  try {
    let printed = 0;
    const till = (async () => {
      for (; printed < slips; printed++) {
        const text = `slip ${printed}${cut}`;
        await until(
          'the slip is accepted',
          async () => (await agent.print(text, { 'idempotency-key': String(printed) })) === 201,
        );
      }
    })();
    for (let kill = 0; kill < kills; kill++) {
      const goal = Math.floor(((kill + Math.random()) * slips) / kills);
      await until('more slips', () => printed >= Math.min(goal, slips));
      await agent.kill();
      await agent.start();
    }
    await till;
    await until('an empty queue', () => readdirSync(path.join(data, 'queue')).length === 0);
    expect(acceptedBodies(accepted)).toEqual(Array.from({ length: slips }, (_, n) => `slip ${n}${cut}`));
    expect(linkOfKey.size).toBeGreaterThan(slips / 2);
    expect(new Set(linkOfKey.values()).size).toBe(linkOfKey.size);
    for (const link of linkOfKey.values()) expect(printer.text).toContain(`/l/${link}`);
  } catch (error) {
    throw new Error(`the agent's log: ${agent.log}`, { cause: error });
  } finally {
    printer.close();
    rmSync(data, { recursive: true, force: true });
  }
});

const mountSmallDisk = (folder: string) =>
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', folder], { stdio: 'pipe' });

/** A small disk requires root; without it, the tests of the queue simulate a full disk. */
function canMount(): boolean {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'till-agent-mount-'));
  try {
    mountSmallDisk(folder);
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const itOnSmallDisk = canMount() ? it : it.skip;

itOnSmallDisk('reports that the disk is full, rejects further slips, and loses none', async () => {
  mountSmallDisk(data);
  try {
    let isAway = true;
    platform.answers = () => (isAway ? { status: 503 } : undefined);
    agent = await AgentProcess.start(platform.url, data);
    const taken: string[] = [];
    const slip = (n: number) => `slip ${n} ${'x'.repeat(20_000)}${cut}`;
    const print = async (n: number) => {
      const status = await agent.print(slip(n));
      if (status === 201) taken.push(slip(n));
      return status;
    };
    for (let n = 0; (await print(n)) === 201;) n++;
    expect(await print(1_000)).toBe(507);
    expect(await agent.statusPage()).toMatch(
      /<title>red:[\s\S]*Slips cannot be stored, so none are accepted: ENOSPC/,
    );
    const refusedAt = await new Promise((resolve) =>
      connect(agent.rawPort, '127.0.0.1').once('error', ({ message }) => resolve(message)),
    );
    expect(refusedAt).toMatch('ECONNREFUSED');
    await agent.kill();
    await agent.start();
    isAway = false;
    await until('all slips', () => readdirSync(path.join(data, 'queue')).length === 0);
    await until('room', async () => (await print(2_000)) === 201);
    await until('the last slip', () => platform.posts.some(({ body }) => body === slip(2_000)));
    expect([...new Set(platform.posts.map(({ body }) => body))]).toEqual(taken);
    expect(taken.length).toBeGreaterThan(5);
  } finally {
    await agent.kill();
    execFileSync('umount', [data]);
    rmSync(data, { recursive: true, force: true });
  }
});
