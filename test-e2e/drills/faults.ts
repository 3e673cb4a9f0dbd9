import { createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Platform, ServiceName } from '@receipts/local';
import type { Rabbit } from '@receipts/testing';
import { uniqueId } from '../harness/receipts';
import { Ledger, p99Of, type LedgerOptions } from './ledger';
import type { Client, TestRetailer } from '../harness/client';

/** The platform on which faults are injected. */
export interface Ground {
  readonly platform: Platform;
  /** Undefined if the broker is given, so that it must not be broken. */
  readonly rabbit: Rabbit | undefined;
  /** Another retailer, which posts without limits. */
  readonly neighbour: TestRetailer;
  /** The URL to which the tills post. */
  readonly baseUrl: string;
}

export interface Fault {
  readonly name: string;
  readonly traffic?: Partial<LedgerOptions>;
  /** True if a process is killed. */
  readonly isKill?: boolean;
  /** True if no till may have to repeat a request. */
  readonly refusesNothing?: boolean;
  /** True if the fault cannot be repeated. */
  readonly once?: boolean;
  /** True if it breaks the broker or the database, which must be private. */
  readonly breaksServer?: boolean;
  /** Sets up the retailer of the tills, before they post. */
  prepare?(client: Client): Promise<void>;
  /** @returns a remark in addition to the figures of every fault */
  inflict(ground: Ground, ledger: Ledger): Promise<string | void>;
}

const services: readonly ServiceName[] = [
  ...(['gateway', 'receipt-store', 'identifier', 'ingest', 'transform', 'delivery', 'admin'] as const),
];
export const startTimeoutMs = 60_000;
const noisyTills = 32;
const noisyMs = 8_000;
const quietRatioMax = 2;
const alarmMs = 5_000;

export const childOf = ({ platform }: Ground, name: ServiceName) => {
  const [child] = platform.instances(name);
  if (!child) throw new Error(`there is no ${name}`);
  return child;
};

/** The private broker of the ground. */
export function brokerOf({ rabbit }: Ground): Rabbit {
  if (rabbit === undefined) throw new Error('this broker is not ours to break');
  return rabbit;
}

async function killService(ground: Ground, name: ServiceName): Promise<void> {
  const child = childOf(ground, name);
  await child.kill();
  await child.start(startTimeoutMs);
}

async function restartService(ground: Ground, name: ServiceName): Promise<void> {
  const child = childOf(ground, name);
  await child.stop();
  await child.start(startTimeoutMs);
}

async function killBroker(ground: Ground): Promise<void> {
  const rabbit = brokerOf(ground);
  await rabbit.kill();
  await rabbit.start();
}

/** Kills the database, as in a crash. It is not a child of this process. */
async function killStore({ platform: { database } }: Ground): Promise<void> {
  if (database.pid === undefined) throw new Error('this store is not ours to kill');
  process.kill(database.pid, 'SIGKILL');
  await pause(500);
  await database.start();
}

async function freeze(pid: number | undefined, ms: number): Promise<void> {
  if (pid === undefined) throw new Error('there is no such process');
  process.kill(pid, 'SIGSTOP');
  await pause(ms);
  process.kill(pid, 'SIGCONT');
}

async function wipeBroker(ground: Ground): Promise<void> {
  const rabbit = brokerOf(ground);
  await rabbit.kill();
  rabbit.wipe();
  await rabbit.start();
}

async function diskAlarm(ground: Ground): Promise<void> {
  const rabbit = brokerOf(ground);
  await rabbit.control('set_disk_free_limit', '900000GB');
  await pause(alarmMs);
  await rabbit.control('set_disk_free_limit', '50MB');
}

async function memoryAlarm(ground: Ground): Promise<void> {
  const rabbit = brokerOf(ground);
  await rabbit.alarm(true);
  await pause(alarmMs);
  await rabbit.alarm(false);
}

/** Measures how a retailer that posts at full speed affects others. */
async function noisyNeighbour({ neighbour }: Ground, quiet: Ledger): Promise<string> {
  const p99During = async () => {
    const from = quiet.durations.length;
    await pause(noisyMs);
    return p99Of(quiet.durations.slice(from));
  };
  const alone = await p99During();
  const noise = new Ledger(neighbour.api, { tills: noisyTills });
  const beside = await p99During();
  await noise.close();
  const ratio = beside / alone;
  const verdict = ratio > quietRatioMax ? `more than the ${quietRatioMax} wanted` : 'as wanted';
  return `p99 of the quiet ones ${Math.round(alone)} ms alone, ${Math.round(beside)} ms beside: ${ratio.toFixed(1)} times, ${verdict}`;
}

/** A mail server that accepts connections but never responds. The platform must be started with its address. */
export function slowMailServer(): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer(() => {});
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve({ port: typeof address === 'object' && address ? address.port : 0, server });
    });
  });
}

const withMail = () => ({
  properties: { email: `${uniqueId('mail')}@example.com`, email_settings: { send: true } },
});

const breaksServer = true;

function hanging(frozenMs: number): readonly Fault[] {
  const seconds = `${frozenMs / 1_000} s`;
  const once = true;
  return [
    ...services.map((name) => ({
      name: `${name} hangs for ${seconds}`,
      once,
      inflict: (ground: Ground) => freeze(childOf(ground, name).pid, frozenMs),
    })),
    {
      name: `broker hangs for ${seconds}`,
      once,
      breaksServer,
      inflict: (ground) => freeze(brokerOf(ground).pid, frozenMs),
    },
    {
      name: `store hangs for ${seconds}`,
      once,
      breaksServer,
      inflict: ({ platform }) => freeze(platform.database.pid, frozenMs),
    },
  ];
}

/** @param frozenMs the durations for which processes are frozen, one after the other */
export function faults(frozenMs: readonly number[]): readonly Fault[] {
  return [
    { name: 'none', inflict: () => pause(alarmMs) },
    ...services.map((name) => ({
      name: `kill -9 ${name}`,
      isKill: true,
      inflict: (ground: Ground) => killService(ground, name),
    })),
    { name: 'kill -9 broker', isKill: true, breaksServer, inflict: killBroker },
    { name: 'kill -9 store', isKill: true, breaksServer, inflict: killStore },
    {
      name: 'kill -9 everything',
      breaksServer,
      inflict: async (ground) => {
        const all = services.map((name) => killService(ground, name));
        await Promise.all([...all, killBroker(ground), killStore(ground)]);
      },
    },
    ...frozenMs.flatMap(hanging),
    ...services.map((name) => ({
      name: `restart of ${name}`,
      inflict: (ground: Ground) => restartService(ground, name),
    })),
    {
      name: 'restart of broker',
      breaksServer,
      inflict: async (ground) => {
        await brokerOf(ground).stop();
        await brokerOf(ground).start();
      },
    },
    { name: 'broker wiped', breaksServer, inflict: wipeBroker },
    { name: 'memory alarm', breaksServer, inflict: memoryAlarm },
    { name: 'disk alarm', breaksServer, inflict: diskAlarm },
    { name: 'mail server says nothing', traffic: { overrides: withMail }, inflict: () => pause(alarmMs) },
    { name: 'each receipt posted five times at once', traffic: { copies: 5 }, inflict: () => pause(alarmMs) },
    { name: 'a noisy neighbour', inflict: noisyNeighbour },
  ];
}
