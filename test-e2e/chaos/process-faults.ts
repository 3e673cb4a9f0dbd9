import { setTimeout as pause } from 'node:timers/promises';
import { serviceNames, type ServiceName } from '@receipts/local';
import { uniqueId } from '../harness/receipts';
import { percentile } from '../harness/statistics';
import { Ledger } from './ledger';
import { brokerOf, type Fault, type Target } from './scenario';

const noisyTills = 32;
const noisyMs = 8_000;
const quietRatioMax = 2;
const alarmMs = 5_000;
const databaseDownMs = 500;

export const childOf = ({ platform }: Target, name: ServiceName) => {
  const [child] = platform.instances(name);
  if (!child) throw new Error(`there is no ${name}`);
  return child;
};

async function restart(target: Target, name: ServiceName, end: 'kill' | 'stop'): Promise<void> {
  const child = childOf(target, name);
  await child[end]();
  await child.start();
}

async function killBroker(target: Target, wipe = false): Promise<void> {
  const rabbit = brokerOf(target);
  await rabbit.kill();
  if (wipe) rabbit.wipe();
  await rabbit.start();
}

async function killDatabase({ platform: { database } }: Target): Promise<void> {
  await database.kill();
  await pause(databaseDownMs);
  await database.start();
}

async function killEverything(target: Target): Promise<void> {
  const services = serviceNames.map((name) => restart(target, name, 'kill'));
  await Promise.all([...services, killBroker(target), killDatabase(target)]);
}

async function freeze(pid: number | undefined, ms: number): Promise<void> {
  if (pid === undefined) throw new Error('there is no such process');
  process.kill(pid, 'SIGSTOP');
  await pause(ms);
  process.kill(pid, 'SIGCONT');
}

async function diskAlarm(target: Target): Promise<void> {
  const rabbit = brokerOf(target);
  await rabbit.control('set_disk_free_limit', '900000GB');
  await pause(alarmMs);
  await rabbit.control('set_disk_free_limit', '50MB');
}

async function memoryAlarm(target: Target): Promise<void> {
  const rabbit = brokerOf(target);
  await rabbit.alarm(true);
  await pause(alarmMs);
  await rabbit.alarm(false);
}

/** Measures how a retailer that posts at full speed affects others. */
async function noisyNeighbour({ neighbour }: Target, quiet: Ledger): Promise<string> {
  const p99During = async () => {
    const from = quiet.durations.length;
    await pause(noisyMs);
    return percentile(quiet.durations.slice(from), 0.99);
  };
  const alone = await p99During();
  const noise = new Ledger(neighbour.api, { tills: noisyTills });
  const beside = await p99During();
  await noise.close();
  const ratio = beside / alone;
  const verdict = `${ratio > quietRatioMax ? 'above' : 'within'} the limit of ${quietRatioMax}`;
  return `p99 of the quiet retailer ${Math.round(alone)} ms alone, ${Math.round(beside)} ms next to the noisy one: ${ratio.toFixed(1)} times, ${verdict}`;
}

const withMail = () => ({
  properties: { email: `${uniqueId('mail')}@example.com`, email_settings: { send: true } },
});

function frozen(ms: number): Fault[] {
  const processes: [string, (target: Target) => number | undefined][] = [
    ...serviceNames.map((name): [string, (target: Target) => number | undefined] => [
      name,
      (target) => childOf(target, name).pid,
    ]),
    ['broker', (target) => brokerOf(target).pid],
    ['database', ({ platform }) => platform.database.pid],
  ];
  return processes.map(([name, pidIn]) => ({
    name: `${name} hangs for ${ms / 1_000} s`,
    once: true,
    breaksServer: name === 'broker' || name === 'database',
    inject: (target) => freeze(pidIn(target), ms),
  }));
}

const breaksServer = true;

/** @param frozenMs the durations for which processes are frozen, one after another */
export function processFaults(frozenMs: readonly number[]): readonly Fault[] {
  const ofServices = (title: string, end: 'kill' | 'stop'): Fault[] =>
    serviceNames.map((name) => ({
      name: `${title} ${name}`,
      isKill: end === 'kill',
      inject: (target) => restart(target, name, end),
    }));
  return [
    { name: 'none', inject: () => pause(alarmMs) },
    ...ofServices('kill -9', 'kill'),
    { name: 'kill -9 broker', isKill: true, breaksServer, inject: (target) => killBroker(target) },
    { name: 'kill -9 database', isKill: true, breaksServer, inject: killDatabase },
    { name: 'kill -9 everything', breaksServer, inject: killEverything },
    ...frozenMs.flatMap(frozen),
    ...ofServices('restart of', 'stop'),
    {
      name: 'restart of broker',
      breaksServer,
      inject: async (target) => {
        await brokerOf(target).stop();
        await brokerOf(target).start();
      },
    },
    { name: 'broker wiped', breaksServer, inject: (target) => killBroker(target, true) },
    { name: 'memory alarm', breaksServer, inject: memoryAlarm },
    { name: 'disk alarm', breaksServer, inject: diskAlarm },
    { name: 'mail server is silent', traffic: { overrides: withMail }, inject: () => pause(alarmMs) },
    { name: 'each receipt posted five times at once', traffic: { copies: 5 }, inject: () => pause(alarmMs) },
    { name: 'a noisy neighbour', inject: noisyNeighbour },
  ];
}
