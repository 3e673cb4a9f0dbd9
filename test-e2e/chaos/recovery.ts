import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Platform } from '@receipts/local';
import { until } from '@receipts/testing';
import { newRetailer, type TestRetailer } from '../harness/client';
import { discard, ownPlatform } from '../harness/own-platform';
import { aReceipt, uniqueId } from '../harness/receipts';
import type { Print } from './scenario';

const rounds = [1, 2, 3];
const probeEveryMs = 50;
const probeTimeoutMs = 1_000;
const recoveryMaxMs = 120_000;

/** Requests that need different services, and succeed as before the kill. */
async function probesOf({ api }: TestRetailer): Promise<Record<string, () => Promise<boolean>>> {
  const identifier = uniqueId('consumer');
  const { id } = (await api.post('/receipts', aReceipt({ identifier }))).body;
  const store = (await api.post('/stores', { name: 'A store', country: 'FRA' })).body;
  const is = async (answer: Promise<{ status: number }>, status: number) => (await answer).status === status;
  const packet = { method: 'POST', body: Buffer.from('{}'), headers: { 'content-type': 'application/json' } };
  await until('the consumer to be known', () => is(api.get(`/identifiers/${identifier}`), 200));
  return {
    'POST /receipts': () => is(api.post('/receipts', aReceipt()), 201),
    'GET /receipts/{id}': () => is(api.get(`/receipts/${id}`), 200),
    'GET /receipts/_search': () =>
      is(api.get('/receipts/_search', { query: `identifier:${identifier}` }), 200),
    'POST /pos/receipts': () => is(api.call('/pos/receipts', packet), 202),
    'GET /pos/mappings': () => is(api.get('/pos/mappings'), 200),
    'GET /identifiers/{id}': () => is(api.get(`/identifiers/${identifier}`), 200),
    'GET /stores/{reference}': () => is(api.get(`/stores/${store.reference}`), 200),
    'GET /receipts/{id}/deliveries': () => is(api.get(`/receipts/${id}/deliveries`), 200),
  };
}

async function firstSuccess(probe: () => Promise<boolean>, begunAt: number): Promise<number> {
  for (;;) {
    const timeout = new Promise<false>((resolve) => setTimeout(resolve, probeTimeoutMs, false));
    if (await Promise.race([probe().catch(() => false), timeout])) return Date.now() - begunAt;
    if (Date.now() - begunAt > recoveryMaxMs) throw new Error('the platform did not recover');
    await new Promise((resolve) => setTimeout(resolve, probeEveryMs));
  }
}

function killEverything({ broker, database, services }: Platform): void {
  const pids = [...services.values()].flat().map(({ pid }) => pid);
  for (const pid of [broker.pid, database.pid, ...pids]) if (pid !== undefined) process.kill(pid, 'SIGKILL');
}

/** The time at which a service first wrote a log line after the kill. */
function loggedAt(platform: Platform, service: string, message: string, since: number): number {
  const text = readFileSync(path.join(platform.settings.dataDir, 'logs', `${service}.log`), 'utf8');
  const times = text.split('\n').flatMap((line) => {
    if (!line.includes(`"msg":"${message}"`)) return [];
    return [Date.parse((JSON.parse(line) as { time: string }).time) - since];
  });
  return Math.min(...times.filter((time) => time >= 0));
}

/** Kills broker, database and all services at once, and measures the stages until everything works again. */
export async function recovery(print: Print): Promise<boolean> {
  const lines: { readonly at: number; readonly line: string }[] = [];
  const platform = await ownPlatform({
    restart: true,
    say: (line) => void lines.push({ at: Date.now(), line }),
  });
  /** The milliseconds from the kill to each stage, one per round. */
  const stages = new Map<string, number[]>();
  const note = (stage: string, ms: number) => stages.set(stage, [...(stages.get(stage) ?? []), ms]);
  try {
    const probes = await probesOf(await newRetailer(platform.baseUrl, platform.secrets.operatorToken));
    for (const _ of rounds) {
      const since = Date.now();
      killEverything(platform);
      const answers = Object.entries(probes).map(async ([name, probe]) => {
        const ms = await firstSuccess(probe, since);
        return [name, ms] as const;
      });
      const answered = await Promise.all(answers);
      const restartedAfter = (name: string) => {
        const line = lines.find(({ at, line: text }) => at > since && text === `${name} is running again`);
        return (line?.at ?? NaN) - since;
      };
      const services = [...platform.services.keys()];
      await until('all services to be ready', () => services.every((name) => restartedAfter(name) > 0));
      for (const name of ['MongoDB', 'RabbitMQ']) note(`${name} accepts connections`, restartedAfter(name));
      for (const service of services) {
        for (const message of ['connected to the broker', 'started'])
          note(`${service}: ${message}`, loggedAt(platform, service, message, since));
        note(`${service}: ready`, restartedAfter(service));
      }
      for (const [name, ms] of answered) note(name, ms);
      note('slowest', Math.max(...answered.map(([, ms]) => ms)));
    }
    print(
      `| seconds after the kill | ${rounds.map((round) => `round ${round}`).join(' | ')} |\n| --- | --- | --- | --- |`,
    );
    for (const [stage, times] of stages)
      print(`| ${stage} | ${times.map((ms) => (ms / 1_000).toFixed(1)).join(' | ')} |`);
    return true;
  } finally {
    await discard(platform);
  }
}
