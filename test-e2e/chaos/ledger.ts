import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../harness/client';
import { aReceipt, uniqueId } from '../harness/receipts';
import { percentile } from '../harness/statistics';
import { isBrokenConnection, readAll } from '../harness/traffic';

const defaultRetryPauseMs = 100;
const defaultThinkMs = 20;
const settledWithinMs = 120_000;
/** A comparison of tens of thousands of receipts takes a minute on a busy machine, and events may be late. */
const comparisonsMin = 4;
const pollMs = 250;
const acceptedPollMs = 5;

/** A mapping that returns the JSON of a packet as the receipt. */
export const identityMapping = {
  id: 'as-it-is',
  match: { content_type: ['*'], source_id: ['*'], store_reference: ['*'], till_id: ['*'] },
  decode: { type: 'json' },
  transform: { language: 'jsonata', expression: 'doc' },
};

type Kind = 'receipt' | 'packet' | 'packet without a key';

interface Accepted {
  readonly kind: Kind;
  readonly id: string;
  readonly total: number;
}

/** Undefined if the request was rejected or its outcome is unknown. */
type Attempt = () => Promise<Accepted | undefined>;

/** The comparison of the responses with the stored data. */
export interface Findings {
  readonly requests: number;
  /** Requests that a till had to retry because they were rejected or not answered. */
  readonly refused: number;
  readonly accepted: number;
  readonly lost: number;
  readonly doubled: number;
  /**
   * Receipts whose id or total differs from the response, receipts that were never posted, invalid responses, or wrong
   * summaries.
   */
  readonly wrong: number;
  readonly p99Ms: number;
  /** The slowest request, regardless of its outcome. */
  readonly slowestMs: number;
  /** The longest time without an accepted request of one kind. */
  readonly outageSeconds: number;
  /** The kind, and when this time ended, on the monotonic clock. */
  readonly outageOf: Kind;
  readonly outageEndedAt: number;
}

export interface LedgerOptions {
  readonly tills: number;
  /** How many times each receipt is posted concurrently, like tills that retry requests early. */
  readonly copies?: number;
  readonly overrides?: () => Record<string, unknown>;
  /** The number of tills that send packets, which requires `acceptPackets`. Default: none. */
  readonly packetTills?: number;
  /** How many of them use no idempotency keys, and post each packet only once. Default: none. */
  readonly keylessTills?: number;
  /** The pause of a till between two receipts. Default: 20 ms. */
  readonly thinkMs?: number;
  /** The pause of a till before it retries a request. Default: 100 ms. */
  readonly retryPauseMs?: number;
  /**
   * Receipts per second across all tills, sent regardless of the outcome of earlier receipts. Replaces the pause between
   * receipts.
   */
  readonly perSecond?: number;
  /**
   * Gives each till a separate connection, and retries a request on a new connection if there is no response within
   * this time.
   */
  readonly patienceMs?: number;
  /** Whether all receipts belong to one consumer, whose summary is compared. Default: true. */
  readonly hasConsumer?: boolean;
  /** The statuses with which a request may be rejected. Default: 503. */
  readonly refusals?: readonly number[];
}

const isTimeout = (error: unknown) => /no answer within/.test(String(error));

/** Prepares a retailer for tills that send packets. */
export async function acceptPackets(client: Client): Promise<void> {
  const answers = [
    await client.post('/pos/mappings', identityMapping),
    await client.post(`/pos/mappings/${identityMapping.id}/_activate`, {}),
  ];
  const refused = answers.find(({ status }) => status >= 300);
  if (refused) throw new Error(`no mapping: ${refused.status} ${refused.bytes.toString()}`);
}

/** Tills that post receipts and packets and record all requests and responses. */
export class Ledger {
  requests = 0;
  refused = 0;
  unanswered = 0;
  slowestMs = 0;
  private readonly accepted = new Map<string, Accepted>();
  private readonly posted = new Set<string>();
  private readonly tookMs: number[] = [];
  private readonly identifier = uniqueId('chaos');
  private readonly workers: Promise<void>[];
  private wrong = 0;
  /** By kind, because one service may respond while another does not. */
  private readonly lastAcceptedAt = new Map<Kind, number>();
  private outage: { ms: number; of: Kind; endedAt: number } = { ms: 0, of: 'receipt', endedAt: 0 };
  private isRunning = true;
  private isAbandoned = false;

  constructor(
    private readonly client: Client,
    private readonly options: LedgerOptions,
  ) {
    const kinds = Array.from({ length: options.tills }, (_, till) => this.kindOf(till));
    for (const kind of kinds) this.lastAcceptedAt.set(kind, performance.now());
    this.workers = kinds.map((kind, till) => this.work(kind, till));
  }

  get count(): number {
    return this.accepted.size;
  }

  /** The durations of the requests accepted so far, in milliseconds. */
  get durations(): readonly number[] {
    return this.tookMs;
  }

  /** Resolves when a request of each kind has been accepted after this call. Returns the seconds until then. */
  async secondsToNext(): Promise<number> {
    const since = performance.now();
    while ([...this.lastAcceptedAt.values()].some((at) => at < since)) await pause(acceptedPollMs);
    return (performance.now() - since) / 1_000;
  }

  /** Stops posting and compares the responses with the stored data. */
  async close(): Promise<Findings> {
    this.isRunning = false;
    await Promise.all(this.workers);
    const giveUpAt = performance.now() + settledWithinMs;
    for (let comparisons = 1; ; comparisons++) {
      const findings = await this.compare();
      const isRight = findings.lost + findings.doubled + findings.wrong === this.wrong;
      if (isRight || (comparisons >= comparisonsMin && performance.now() > giveUpAt)) return findings;
      await pause(pollMs);
    }
  }

  /** Stops posting. Requests that were rejected are not retried. */
  abandon(): void {
    this.isRunning = false;
    this.isAbandoned = true;
  }

  private kindOf(till: number): Kind {
    const { packetTills = 0, keylessTills = 0 } = this.options;
    if (till >= packetTills) return 'receipt';
    return till < keylessTills ? 'packet without a key' : 'packet';
  }

  private async work(kind: Kind, till: number): Promise<void> {
    const { tills, thinkMs = defaultThinkMs, perSecond, patienceMs } = this.options;
    const agent = patienceMs === undefined ? undefined : new http.Agent({ keepAlive: true, maxSockets: 1 });
    const client = agent ? this.client.with({ agent, timeoutMs: patienceMs as number }) : this.client;
    const everyMs = perSecond === undefined ? 0 : (tills / perSecond) * 1_000;
    for (let due = performance.now() + (till / tills) * everyMs; this.isRunning; due += everyMs) {
      if (everyMs > 0) await pause(Math.max(0, due - performance.now()));
      if (!this.isRunning) break;
      await this.postNew(client, kind);
      if (perSecond === undefined) await pause(thinkMs);
    }
    agent?.destroy();
  }

  private async postNew(client: Client, kind: Kind): Promise<void> {
    const { copies = 1, overrides = () => ({}), hasConsumer = true } = this.options;
    const transactionId = uniqueId('chaos');
    const total = Math.floor(Math.random() * 10_000) / 100;
    const consumer = hasConsumer && { identifier: this.identifier };
    const receipt = aReceipt({ ...overrides(), total, ...consumer, transaction_id: transactionId });
    this.posted.add(transactionId);
    const attempt = async () => {
      const id =
        kind === 'receipt'
          ? await this.postReceipt(client, receipt)
          : await this.postPacket(client, kind === 'packet' ? transactionId : undefined, receipt);
      return id === undefined ? undefined : { kind, id, total };
    };
    const canRetry = kind !== 'packet without a key';
    await Promise.all(Array.from({ length: copies }, () => this.repeat(transactionId, attempt, canRetry)));
  }

  private async repeat(transactionId: string, attempt: Attempt, canRetry: boolean): Promise<void> {
    const { retryPauseMs = defaultRetryPauseMs } = this.options;
    while (!this.isAbandoned) {
      const accepted = await this.timed(attempt);
      if (accepted === undefined) {
        await pause(retryPauseMs);
        if (!canRetry) return;
        continue;
      }
      const known = this.accepted.get(transactionId);
      if (known && known.id !== accepted.id) this.wrong++;
      this.accepted.set(transactionId, accepted);
      return;
    }
  }

  private async timed(attempt: Attempt): Promise<Accepted | undefined> {
    this.requests++;
    const began = performance.now();
    const accepted = await attempt().catch((error: unknown) => {
      if (!isBrokenConnection(error) && !isTimeout(error)) this.wrong++;
      this.unanswered++;
      return undefined;
    });
    const now = performance.now();
    this.slowestMs = Math.max(this.slowestMs, now - began);
    if (accepted === undefined) {
      this.refused++;
      return undefined;
    }
    this.tookMs.push(now - began);
    const outageMs = now - (this.lastAcceptedAt.get(accepted.kind) ?? now);
    if (outageMs > this.outage.ms) this.outage = { ms: outageMs, of: accepted.kind, endedAt: now };
    this.lastAcceptedAt.set(accepted.kind, now);
    return accepted;
  }

  private async postReceipt(client: Client, body: object): Promise<string | undefined> {
    const { status, body: answered } = await client.call('/receipts', { method: 'POST', body });
    if (status === 201 || status === 409) return (answered as { id: string }).id;
    this.noteRefusal(status);
    return undefined;
  }

  /** A till retries a packet with the same idempotency key if the outcome is unknown. */
  private async postPacket(
    client: Client,
    key: string | undefined,
    receipt: object,
  ): Promise<string | undefined> {
    const { status, headers } = await client.call('/pos/receipts', {
      method: 'POST',
      body: JSON.stringify(receipt),
      headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
    });
    if (status === 202) return headers.location?.split('/').at(-1);
    this.noteRefusal(status);
    return undefined;
  }

  private noteRefusal(status: number): void {
    if (!(this.options.refusals ?? [503]).includes(status)) this.wrong++;
  }

  private async compare(): Promise<Findings> {
    const stored = new Map<string, { id: string; total: number }[]>();
    for (const { id, transaction_id: transactionId, total } of await readAll(this.client)) {
      stored.set(transactionId, [...(stored.get(transactionId) ?? []), { id, total }]);
    }
    const entries = [...this.accepted];
    const strangers = [...stored.keys()].filter((transactionId) => !this.posted.has(transactionId));
    const others = entries.filter(([name, answered]) => {
      const found = stored.get(name);
      return found && !found.some(({ id, total }) => id === answered.id && total === answered.total);
    });
    const wrongSummaries = (await this.isSummaryRight(stored.size)) ? 0 : 1;
    return {
      requests: this.requests,
      refused: this.refused,
      accepted: entries.length,
      lost: entries.filter(([transactionId]) => !stored.has(transactionId)).length,
      doubled: [...stored.values()].filter((found) => found.length > 1).length,
      wrong: this.wrong + strangers.length + others.length + wrongSummaries,
      p99Ms: percentile(this.tookMs, 0.99),
      slowestMs: this.slowestMs,
      outageSeconds: this.outage.ms / 1_000,
      outageOf: this.outage.of,
      outageEndedAt: this.outage.endedAt,
    };
  }

  /** The consumer's summary is derived from events, so it shows whether all events were processed. */
  private async isSummaryRight(count: number): Promise<boolean> {
    if (count === 0 || this.options.hasConsumer === false) return true;
    const { status, body } = await this.client.get(`/identifiers/${this.identifier}`);
    return status === 200 && body.summary.receipts === count;
  }
}
