import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { serviceNames, type Child, type Platform, type ServiceName } from '@receipts/local';
import { startTcpProxy } from '@receipts/testing';
import { CannotRun, closingAlso, openTarget, type Scenario, type Target } from './scenario';

const root = path.resolve(__dirname, '../../..');

const instances = 2;
const probeEveryMs = 100;
const probeTimeoutMs = 1_000;
const unansweredMax = 3;
/** Longer than a load balancer needs to notice that a process is not ready, also on a busy machine; as in the chart. */
const drainDelayMs = 5_000;
const outputBytesMax = 16 * 1024 * 1024;

/** What an orchestrator's probe finds. Undefined if there is no answer in time, as on a busy machine. */
async function probed({ running, facts }: Child): Promise<boolean | undefined> {
  if (!running) return false;
  const signal = AbortSignal.timeout(probeTimeoutMs);
  const answer = await fetch(`http://127.0.0.1:${String(facts['healthPort'])}/ready`, { signal }).catch(
    () => undefined,
  );
  return answer?.ok;
}

/**
 * Forwards each new connection to one of the gateways that are ready. Like Kubernetes, it believes a process that reports
 * that it is not ready at once, but a process that does not answer only after several probes.
 */
async function startBalancer(platform: Platform): Promise<{ readonly port: number; close(): Promise<void> }> {
  const unanswered = new Map<Child, number>();
  const ready = new Set<Child>();
  let turn = 0;
  let isOpen = true;
  const probe = async (gateway: Child) => {
    const answer = await probed(gateway);
    unanswered.set(gateway, answer === undefined ? (unanswered.get(gateway) ?? 0) + 1 : 0);
    if (answer) ready.add(gateway);
    else if (answer === false || unanswered.get(gateway) === unansweredMax) ready.delete(gateway);
  };
  const watched = new Map<Child, Promise<void>>();
  // A probe begins after the answer to the one before, so that none is overtaken by an earlier one.
  const watch = async (gateway: Child) => {
    for (; isOpen && platform.instances('gateway').includes(gateway); await pause(probeEveryMs))
      await probe(gateway);
    ready.delete(gateway);
  };
  const watchAll = () => {
    for (const gateway of platform.instances('gateway'))
      if (!watched.has(gateway)) watched.set(gateway, watch(gateway));
  };
  await Promise.all(platform.instances('gateway').map(probe));
  watchAll();
  const timer = setInterval(watchAll, probeEveryMs);
  const proxy = await startTcpProxy(() => {
    const gateways = [...ready];
    const gateway = gateways[turn++ % gateways.length];
    return gateway && Number(gateway.facts['port']);
  });
  const close = async () => {
    isOpen = false;
    clearInterval(timer);
    await Promise.all(watched.values());
    await proxy.close();
  };
  return { port: proxy.port, close };
}

/** Two processes of each service behind a load balancer. */
async function openBalanced(release?: (name: ServiceName) => string): Promise<Target> {
  const target = await openTarget({
    instances: Object.fromEntries(serviceNames.map((name) => [name, instances])),
    env: (name) => ({ DRAIN_DELAY_MS: name === 'gateway' ? String(drainDelayMs) : '0' }),
    ...(release && { release }),
  });
  const balancer = await startBalancer(target.platform);
  return {
    ...target,
    baseUrl: `http://127.0.0.1:${balancer.port}`,
    async close() {
      await balancer.close();
      await target.close();
    },
  };
}

/** The services in the order in which the guide upgrades them. */
function upgradeOrder(): ServiceName[] {
  const guide = readFileSync(path.join(root, 'docs/guides/upgrade.md'), 'utf8');
  const names = /^for service in (.+); do$/m.exec(guide)?.[1]?.split(' ') ?? [];
  const order = names.filter((name): name is ServiceName => serviceNames.some((service) => service === name));
  if (new Set(order).size !== serviceNames.length)
    throw new Error('docs/guides/upgrade.md does not upgrade every service once');
  return order;
}

/** Replaces the processes of all services, one after another. A new process is ready before the old process is stopped. */
async function replaceAll(
  { platform }: Target,
  before: (name: ServiceName) => void = () => {},
): Promise<void> {
  for (const name of upgradeOrder()) {
    before(name);
    for (const child of Array.from(platform.instances(name))) await platform.replace(name, child);
  }
}

export const rollingUpdate = (): Scenario => ({
  open: () => openBalanced(),
  faults: [
    {
      name: 'rolling restart of every service',
      refusesNothing: true,
      inject: (target) => replaceAll(target),
    },
  ],
});

async function run(command: string, args: readonly string[], cwd = root): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd, maxBuffer: outputBytesMax });
  return stdout.trim();
}

/** Builds a release in a separate folder, as its own `npm start` does. */
async function build(revision: string, folder: string): Promise<void> {
  await run('git', ['worktree', 'add', '--detach', folder, revision]);
  const script = `import('./deploy/local/bootstrap.mjs').then(({ bootstrap }) => bootstrap('platform'))`;
  await run(process.execPath, ['-e', script], folder);
}

/** @param from a tag or commit; the last release before this commit if empty */
export function upgrade(from: string): Scenario {
  const upgraded = new Set<string>();
  return {
    async open() {
      // A release candidate is not a release, and a commit that is a release itself is upgraded from the one before.
      const last = ['describe', '--tags', '--abbrev=0', '--exclude=*-*', 'HEAD^'];
      const named = from === '' ? last : ['rev-parse', '--short', from];
      const revision = await run('git', named).catch(() => {
        throw new CannotRun('no release to upgrade from: --from names a tag or a commit of this repository');
      });
      const scratch = mkdtempSync(path.join(os.tmpdir(), 'receipts-release-'));
      const folder = path.join(scratch, revision);
      const open = async () => {
        await build(revision, folder);
        return openBalanced((name) => (upgraded.has(name) ? root : folder));
      };
      return closingAlso(open(), async () => {
        await run('git', ['worktree', 'remove', '--force', folder]).catch(() => undefined);
        rmSync(scratch, { recursive: true, force: true });
      });
    },
    faults: [
      {
        name: `upgrade from ${from === '' ? 'the last release' : from}`,
        refusesNothing: true,
        once: true,
        inject: (target) => replaceAll(target, (name) => upgraded.add(name)),
      },
    ],
  };
}
