import type { Platform } from '@receipts/local';
import { newRetailer } from '../harness/client';
import { bearerToken } from '../harness/credentials';
import { aReceipt } from '../harness/receipts';
import { attacks, type Attack, type Target } from './costly-bodies';
import type { LoadResult } from './load';
import { memoryLimitMb, memoryOf, runLoad } from './measure';
import { platformSubject } from './subjects';

/** How much longer other clients may wait during an attack than the longest wait without one. */
const waitMoreMsMax = 100;
const hostileCallers = 4;
const warmUpSeconds = 2;
const memoryIntervalMs = 250;

interface Row {
  readonly load: LoadResult;
  /** The gateway's maximum memory during the attack. */
  readonly gatewayMb: number;
  readonly answers: ReadonlyMap<number, number>;
}

/** Measures how long another retailer waits for a receipt while expensive bodies are sent, one kind after another. */
export class HostileBench {
  constructor(
    private readonly platform: Platform,
    private readonly seconds: number,
  ) {}

  /** @returns false if responses took too long, or the gateway exceeded its memory limit */
  async run(): Promise<boolean> {
    const { baseUrl } = this.platform;
    const [victim, ...hostile] = await Promise.all(
      Array.from({ length: 1 + hostileCallers }, () => this.retailer()),
    );
    const token = bearerToken(victim?.bearer ?? { key: '', secret: '' });
    const posted = await victim?.api.post('/receipts', aReceipt());
    const light = { path: `/receipts/${String(posted?.body.id)}`, token };
    const target = { baseUrl, tokens: hostile.map(({ bearer }) => bearerToken(bearer)) };
    await this.light(light, warmUpSeconds);
    const quiet = await this.row(light, target, undefined);
    show('nobody is hostile', quiet);
    const problems: string[] = [];
    for (const attack of attacks()) {
      const row = await this.row(light, target, attack);
      show(attack.name, row);
      problems.push(...problemsOf(attack, row, quiet.load.maxMs));
    }
    for (const problem of problems) console.log(`FAILED: ${problem}`);
    return problems.length === 0;
  }

  private retailer() {
    const { baseUrl, credentials } = this.platform;
    return newRetailer(baseUrl, credentials.operator.token);
  }

  /** A single connection that repeatedly requests the same receipt. */
  private light(
    { path: asked, token }: { path: string; token: string },
    seconds: number,
  ): Promise<LoadResult> {
    return runLoad({
      port: Number(new URL(this.platform.baseUrl).port),
      connections: 1,
      seconds,
      method: 'GET',
      paths: [asked],
      headers: { authorization: `Bearer ${token}` },
      expectedStatus: 200,
      uniqueFrom: 0,
    });
  }

  private async row(
    light: { path: string; token: string },
    target: Target,
    attack: Attack | undefined,
  ): Promise<Row> {
    const over = new AbortController();
    const gateway = platformSubject(this.platform)
      .watched()
      .filter(({ name }) => name.startsWith('gateway'));
    let gatewayMb = 0;
    const look = () => {
      gatewayMb = Math.max(gatewayMb, ...memoryOf(gateway).values());
    };
    const looking = setInterval(look, memoryIntervalMs);
    const attacking = attack?.run(target, over.signal) ?? Promise.resolve(new Map<number, number>());
    try {
      const load = await this.light(light, this.seconds);
      look();
      over.abort();
      return { load, gatewayMb, answers: await attacking };
    } finally {
      clearInterval(looking);
      over.abort();
    }
  }
}

function problemsOf(
  { name, statuses }: Attack,
  { load, gatewayMb, answers }: Row,
  quietMs: number,
): string[] {
  const unforeseen = [...answers.keys()].filter((status) => !statuses.includes(status));
  const mbMax = memoryLimitMb('gateway');
  return [
    ...(load.maxMs > quietMs + waitMoreMsMax ? [`${name}: somebody waited ${load.maxMs} ms`] : []),
    ...(load.unexpected > 0 ? [`${name}: ${load.unexpected} others were rejected`] : []),
    ...(gatewayMb > mbMax ? [`${name}: the gateway took ${gatewayMb} of ${mbMax} MB`] : []),
    ...(unforeseen.length > 0 ? [`${name}: returned ${unforeseen.join(', ')}`] : []),
    ...(answers.size === 0 ? [`${name}: none of its requests got a response`] : []),
  ];
}

function show(name: string, { load, gatewayMb, answers }: Row): void {
  const waits = [load.p50Ms, load.p99Ms, load.maxMs].map((ms) => ms.toFixed(1)).join(' / ');
  const answered = [...answers].map(([status, times]) => `${times} times ${status}`).join(', ');
  console.log(
    `${name}: others wait ${waits} ms (p50 / p99 / longest of ${load.requests}), gateway ${gatewayMb} MB` +
      (answered === '' ? '' : `, responses ${answered}`),
  );
}
