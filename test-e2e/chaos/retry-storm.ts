import { setTimeout as pause } from 'node:timers/promises';
import { newRetailer, type TestRetailer } from '../harness/client';
import { aReceipt } from '../harness/receipts';
import { Ledger, type Findings, type LedgerOptions } from './ledger';
import type { Print } from './scenario';
import { openTargetOverProxy } from './slow-database';

const retailers = 4;
/**
 * The delay of every 64 KiB to and from the database. It makes the database the bottleneck of the platform, because the
 * tills also need this machine's CPU.
 */
const delayMs = 25;
/** Tills that post without a pause to measure the capacity of the platform. */
const capacityTills = 256;
const capacitySeconds = 10;
const warmUpMs = 4_000;
const stormTills = 1_500;
const stormSeconds = 20;
const overload = 5;
/** How long a till waits for a response before it retries its request on a new connection. */
const patienceMs = 2_000;
/** The pause before a till retries a request. The till ignores `Retry-After`. */
const retryPauseMs = 1_000;
/** The storm is over when a single receipt is accepted within this time. */
const calmMs = 250;
/**
 * The platform has collapsed if it accepts less than this share of its capacity. On a dedicated machine, the goal is
 * 0.9.
 */
const goodputMin = 0.5;
const recoveredWithinMs = 10_000;

interface Rates {
  readonly goodput: number;
  readonly requests: number;
}

/** Tills of several retailers. */
class Fleet {
  private readonly ledgers: readonly Ledger[];

  constructor(of: readonly TestRetailer[], tills: number, perSecond: number) {
    const shared: Omit<LedgerOptions, 'tills'> = { patienceMs, retryPauseMs, hasConsumer: false };
    this.ledgers = of.map(
      ({ api }) =>
        new Ledger(api, {
          ...shared,
          tills: tills / of.length,
          perSecond: perSecond / of.length,
          refusals: [429, 503],
        }),
    );
  }

  sum(figure: 'count' | 'requests' | 'refused' | 'unanswered'): number {
    return this.ledgers.reduce((total, ledger) => total + ledger[figure], 0);
  }

  get slowestMs(): number {
    return Math.max(...this.ledgers.map((ledger) => ledger.slowestMs));
  }

  /** Receipts accepted and requests sent per second, from now on. */
  async rates(seconds: number): Promise<Rates> {
    const [accepted, requests] = [this.sum('count'), this.sum('requests')];
    await pause(seconds * 1_000);
    return {
      goodput: Math.round((this.sum('count') - accepted) / seconds),
      requests: Math.round((this.sum('requests') - requests) / seconds),
    };
  }

  abandon(): void {
    for (const ledger of this.ledgers) ledger.abandon();
  }

  findings(): Promise<readonly Findings[]> {
    return Promise.all(this.ledgers.map((ledger) => ledger.close()));
  }
}

/** Returns the milliseconds until a single receipt is accepted without delay. */
async function msUntilCalm({ api }: TestRetailer): Promise<number> {
  const since = performance.now();
  for (;;) {
    const began = performance.now();
    const { status } = await api.post('/receipts', aReceipt());
    const now = performance.now();
    if ((status === 201 && now - began <= calmMs) || now - since > 10 * recoveredWithinMs) return now - since;
  }
}

/**
 * Five times as many receipts as the platform can accept are sent by tills that soon time out and retry everything. The
 * platform must continue to accept receipts, lose nothing, and recover when the tills stop.
 */
export async function retryStorm(print: Print): Promise<boolean> {
  const settings = { MAX_UPSTREAM_LATENCY_MS: String(patienceMs / 2) };
  const { target, proxy } = await openTargetOverProxy(settings);
  try {
    const { operatorToken } = target.platform.secrets;
    const some = (count: number) =>
      Promise.all(Array.from({ length: count }, () => newRetailer(target.baseUrl, operatorToken)));
    const [[bystander], few, many] = await Promise.all([some(1), some(retailers), some(retailers)]);

    proxy.delay(delayMs);
    const loaded = new Fleet(few, capacityTills, Infinity);
    await pause(warmUpMs);
    const capacity = await loaded.rates(capacitySeconds);
    loaded.abandon();
    print(`${capacity.goodput} receipts per second are the capacity`);

    const storm = new Fleet(many, stormTills, capacity.goodput * overload);
    await pause(warmUpMs);
    const rates = await storm.rates(stormSeconds);
    storm.abandon();
    const calmAfterMs = await msUntilCalm(bystander as TestRetailer);
    const share = rates.goodput / capacity.goodput;
    print(
      `${stormTills} tills with ${capacity.goodput * overload} receipts per second sent ${rates.requests} requests per second: ` +
        `${rates.goodput} receipts per second were accepted, ${share.toFixed(2)} of the capacity`,
    );
    const unanswered = storm.sum('unanswered');
    print(
      `${storm.sum('refused') - unanswered} requests were refused, ${unanswered} given up after ${patienceMs / 1_000} s, ` +
        `the slowest took ${Math.round(storm.slowestMs)} ms; ${Math.round(calmAfterMs)} ms later a single receipt was accepted without delay`,
    );
    proxy.delay(0);
    const findings = [...(await loaded.findings()), ...(await storm.findings())];
    const faults = findings.reduce((sum, { lost, doubled, wrong }) => sum + lost + doubled + wrong, 0);
    const accepted = findings.reduce((sum, found) => sum + found.accepted, 0);
    print(`${accepted} receipts accepted: ${faults} were lost, stored twice, or answered wrongly`);
    return faults === 0 && share >= goodputMin && calmAfterMs <= recoveredWithinMs;
  } finally {
    await target.close();
  }
}
