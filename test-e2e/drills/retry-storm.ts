import { setTimeout as pause } from 'node:timers/promises';
import { Client as Connection } from 'undici';
import { newRetailer, type TestRetailer } from '../harness/client';
import { bearerToken } from '../harness/credentials';
import { aReceipt, uniqueId } from '../harness/receipts';
import { readAll } from '../harness/traffic';
import { openGroundOverProxy } from './slow-store';

const retailers = 4;
/**
 * The delay of every 64 KiB to and from the database, so that the platform is limited by it: the tills need the processors
 * of this machine as well.
 */
const delayMs = 25;
/** Tills that post without a pause, to measure what the platform carries. */
const capacityTills = 256;
const capacitySeconds = 10;
const warmUpMs = 4_000;
const stormTills = 1_500;
const stormSeconds = 20;
const times = 5;
/** How long a till waits for a response before it repeats its request on a new connection. */
const patienceMs = 2_000;
/** The pause before a till repeats a refused request. Tills of the drill ignore `Retry-After`. */
const retryPauseMs = 1_000;
/** A lone receipt that is answered within this time shows that the storm is over. */
const calmMs = 250;
/** Below this part of what is carried the platform collapses. On a machine of its own 0.9 is wanted. */
const goodputMin = 0.5;
const recoveredWithinMs = 10_000;

/** What the tills of a fleet have seen. */
class Counts {
  requests = 0;
  accepted = 0;
  refused = 0;
  unanswered = 0;
  slowestMs = 0;
  /** Responses that no till may get. */
  readonly unexpected: string[] = [];
}

/** A till with a connection of its own. It repeats each receipt until it is accepted or the fleet stops. */
class Till {
  private connection: Connection;
  private readonly headers: Readonly<Record<string, string>>;

  constructor(
    private readonly baseUrl: string,
    retailer: TestRetailer,
    readonly accepted: Map<string, string>,
    private readonly counts: Counts,
  ) {
    this.connection = this.open();
    this.headers = {
      authorization: `Bearer ${bearerToken(retailer.bearer)}`,
      'content-type': 'application/json',
    };
  }

  async post(isRunning: () => boolean): Promise<void> {
    const transactionId = uniqueId('storm');
    const body = JSON.stringify(aReceipt({ transaction_id: transactionId }));
    while (isRunning()) {
      const id = await this.attempt(body);
      if (id !== undefined) {
        this.accepted.set(transactionId, id);
        return;
      }
      await pause(retryPauseMs);
    }
  }

  async close(): Promise<void> {
    await this.connection.destroy();
  }

  private open(): Connection {
    return new Connection(this.baseUrl, { headersTimeout: patienceMs, bodyTimeout: patienceMs });
  }

  private async attempt(body: string): Promise<string | undefined> {
    const { counts } = this;
    counts.requests++;
    const began = performance.now();
    try {
      const answer = await this.connection.request({
        path: '/receipts',
        method: 'POST',
        headers: this.headers,
        body,
      });
      const text = await answer.body.text();
      counts.slowestMs = Math.max(counts.slowestMs, performance.now() - began);
      return this.outcomeOf(answer.statusCode, text);
    } catch {
      counts.unanswered++;
      await this.connection.destroy();
      this.connection = this.open();
      return undefined;
    }
  }

  /** 409 means that an earlier attempt was accepted. */
  private outcomeOf(status: number, text: string): string | undefined {
    const { counts } = this;
    if (status === 201 || status === 409) {
      counts.accepted++;
      return (JSON.parse(text) as { id: string }).id;
    }
    if (status === 429 || status === 503) counts.refused++;
    else counts.unexpected.push(`${status}: ${text}`);
    return undefined;
  }
}

/** Tills of several retailers that post at a fixed rate, whatever becomes of earlier receipts. */
class Fleet {
  readonly counts = new Counts();
  readonly accepted: Map<string, string>[];
  private readonly tills: Till[];
  private running = true;
  private readonly working: Promise<void>[];

  /** @param perSecond receipts a second of all tills; each till posts the ones it is late with without a pause */
  constructor(baseUrl: string, of: readonly TestRetailer[], tills: number, perSecond: number) {
    this.accepted = of.map(() => new Map());
    this.tills = Array.from({ length: tills }, (_, n) => {
      const index = n % of.length;
      const accepted = this.accepted[index] as Map<string, string>;
      return new Till(baseUrl, of[index] as TestRetailer, accepted, this.counts);
    });
    const everyMs = (tills / perSecond) * 1_000;
    this.working = this.tills.map((till, n) => this.work(till, everyMs, (n / tills) * everyMs));
  }

  /** The tills end their attempts and repeat nothing more. */
  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.working);
    await Promise.all(this.tills.map((till) => till.close()));
  }

  private async work(till: Till, everyMs: number, firstMs: number): Promise<void> {
    for (let due = performance.now() + firstMs; this.running; due += everyMs) {
      await pause(Math.max(0, due - performance.now()));
      if (this.running) await till.post(() => this.running);
    }
  }
}

interface Rates {
  readonly goodput: number;
  readonly requests: number;
}

/** Receipts accepted and requests sent a second, from now on. */
async function ratesOf({ counts }: Fleet, seconds: number): Promise<Rates> {
  const { accepted, requests } = counts;
  await pause(seconds * 1_000);
  return {
    goodput: Math.round((counts.accepted - accepted) / seconds),
    requests: Math.round((counts.requests - requests) / seconds),
  };
}

/** Returns the milliseconds until a lone receipt is answered at once. */
async function calmAgain({ api }: TestRetailer): Promise<number> {
  const since = performance.now();
  for (;;) {
    const began = performance.now();
    const { status } = await api.post('/receipts', aReceipt());
    const now = performance.now();
    if ((status === 201 && now - began <= calmMs) || now - since > 10 * recoveredWithinMs) return now - since;
  }
}

/** Returns the number of accepted receipts that are not stored once under the id that was answered. */
async function notStoredOnce({ api }: TestRetailer, accepted: ReadonlyMap<string, string>): Promise<number> {
  const stored = new Map<string, string[]>();
  for (const { id, transaction_id: name } of await readAll(api)) {
    stored.set(name, [...(stored.get(name) ?? []), id]);
  }
  return [...accepted].filter(([name, id]) => stored.get(name)?.join() !== id).length;
}

/**
 * Five times as many receipts as the platform carries, by tills that do not wait for long and repeat everything. The
 * platform must go on accepting receipts, lose nothing, and recover when the tills stop.
 */
export async function retryStormDrill(say: (line: string) => void): Promise<boolean> {
  const { ground, line } = await openGroundOverProxy({ MAX_UPSTREAM_LATENCY_MS: String(patienceMs / 2) });
  try {
    const { baseUrl, platform } = ground;
    const { secrets } = platform;
    const all: TestRetailer[] = [];
    while (all.length < retailers + 1) all.push(await newRetailer(baseUrl, secrets.operatorToken));
    const [bystander, ...of] = all as [TestRetailer, ...TestRetailer[]];

    line.delay(delayMs);
    const few = new Fleet(baseUrl, of, capacityTills, Infinity);
    await pause(warmUpMs);
    const capacity = await ratesOf(few, capacitySeconds);
    await few.stop();
    say(`${capacity.goodput} receipts a second are carried`);

    const many = new Fleet(baseUrl, of, stormTills, capacity.goodput * times);
    await pause(warmUpMs);
    const storm = await ratesOf(many, stormSeconds);
    const stopped = many.stop();
    const calmAfterMs = await calmAgain(bystander);
    await stopped;
    const { refused, unanswered, unexpected, slowestMs } = many.counts;
    const share = storm.goodput / capacity.goodput;
    say(
      `${stormTills} tills that want ${capacity.goodput * times} a second sent ${storm.requests} requests a second: ` +
        `${storm.goodput} receipts a second were accepted, ${share.toFixed(2)} of what is carried`,
    );
    say(
      `${refused} requests were refused, ${unanswered} given up after ${patienceMs / 1_000} s, ` +
        `the slowest answer took ${Math.round(slowestMs)} ms; ${Math.round(calmAfterMs)} ms later a lone receipt was answered at once`,
    );
    line.delay(0);
    let wrong = 0;
    for (const fleet of [few, many]) {
      for (const [n, accepted] of fleet.accepted.entries())
        wrong += await notStoredOnce(of[n] as TestRetailer, accepted);
    }
    say(`${wrong} of ${few.counts.accepted + many.counts.accepted} accepted receipts are not stored once`);
    for (const answer of new Set(unexpected)) say(`unexpected: ${answer}`);
    return wrong === 0 && unexpected.length === 0 && share >= goodputMin && calmAfterMs <= recoveredWithinMs;
  } finally {
    await ground.close();
  }
}
