import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Platform } from '@receipts/local';
import { until } from '@receipts/testing';
import { newRetailer, type TestRetailer } from '../harness/client';
import { discard, ownPlatform } from '../harness/own-platform';
import { aReceipt, uniqueId } from '../harness/receipts';

const roundsCount = 3;
const probeEveryMs = 50;
const probeTimeoutMs = 1_000;
const recoveryMaxMs = 120_000;

type Say = (line: string) => void;

/** Requests that need different services, and succeed as before the kill. */
async function probesOf({ api }: TestRetailer): Promise<Record<string, () => Promise<boolean>>> {
  const identifier = uniqueId('consumer');
  const { id } = (await api.post('/receipts', aReceipt({ identifier }))).body;
  const store = (await api.post('/stores', { name: 'A store', country: 'FRA' })).body;
  const is = async (answer: Promise<{ status: number }>, status: number) => (await answer).status === status;
  const packet = { method: 'POST', body: Buffer.from('{}'), headers: { 'content-type': 'application/json' } };
  await until('the consumer is known', () => is(api.get(`/identifiers/${identifier}`), 200));
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
    if (Date.now() - begunAt > recoveryMaxMs) throw new Error('the platform does not recover');
    await new Promise((resolve) => setTimeout(resolve, probeEveryMs));
  }
}

function killEverything({ broker, database, services }: Platform): void {
  const pids = [...services.values()].flat().map(({ pid }) => pid);
  for (const pid of [broker.pid, database.pid, ...pids]) if (pid !== undefined) process.kill(pid, 'SIGKILL');
}

/** When a service has written a line of its log for the first time since the kill. */
function loggedAt(platform: Platform, service: string, message: string, since: number): number {
  const text = readFileSync(path.join(platform.settings.dataDir, 'logs', `${service}.log`), 'utf8');
  const times = text.split('\n').flatMap((line) => {
    if (!line.includes(`"msg":"${message}"`)) return [];
    return [Date.parse((JSON.parse(line) as { time: string }).time) - since];
  });
  return Math.min(...times.filter((time) => time >= 0));
}

/** Kills broker, database and all services at once, and measures the stages until everything works again. */
export async function recoveryDrill(say: Say): Promise<boolean> {
  const lines: { readonly at: number; readonly line: string }[] = [];
  const platform = await ownPlatform({
    restart: true,
    say: (line) => void lines.push({ at: Date.now(), line }),
  });
  const row = (name: string, times: readonly number[]) =>
    say(`| ${name} | ${times.map((time) => (time / 1_000).toFixed(1)).join(' | ')} |`);
  try {
    const probes = await probesOf(await newRetailer(platform.baseUrl, platform.secrets.operatorToken));
    const rounds = [];
    for (let round = 0; round < roundsCount; round++) {
      const since = Date.now();
      killEverything(platform);
      const names = Object.keys(probes);
      const answers = await Promise.all(Object.values(probes).map((probe) => firstSuccess(probe, since)));
      const runs = (name: string) => {
        const line = lines.find(({ at, line: text }) => at > since && text === `${name} runs again`);
        return (line?.at ?? NaN) - since;
      };
      await until('all services are ready', () =>
        [...platform.services.keys()].every((name) => runs(name) > 0),
      );
      rounds.push({ since, runs, answers, names });
    }
    say('| seconds after the kill | round 1 | 2 | 3 |\n| --- | --- | --- | --- |');
    for (const name of ['MongoDB', 'RabbitMQ'])
      row(
        `${name} accepts connections`,
        rounds.map(({ runs }) => runs(name)),
      );
    for (const service of platform.services.keys()) {
      for (const message of ['connected to the broker', 'started']) {
        row(
          `${service}: ${message}`,
          rounds.map(({ since }) => loggedAt(platform, service, message, since)),
        );
      }
      row(
        `${service}: ready`,
        rounds.map(({ runs }) => runs(service)),
      );
    }
    for (const [n, name] of Object.keys(probes).entries())
      row(
        name,
        rounds.map(({ answers }) => answers[n] ?? NaN),
      );
    row(
      'slowest',
      rounds.map(({ answers }) => Math.max(...answers)),
    );
    return true;
  } finally {
    await discard(platform);
  }
}
