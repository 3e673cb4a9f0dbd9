import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../harness/client';
import { aReceipt, uniqueId } from '../harness/receipts';
import { isBrokenConnection, readAll } from '../harness/traffic';

const retryPauseMs = 100;
const defaultThinkMs = 20;
const settledWithinMs = 120_000;
/** A comparison of tens of thousands of receipts takes a minute on a busy machine, and events may be late. */
const comparisonsMin = 4;
const pollMs = 250;
const acceptedPollMs = 5;

/** A mapping that returns the JSON of a packet as the receipt. */
const mapping = {
  id: 'as-it-is',
  match: { content_type: ['*'], source_id: ['*'], store_reference: ['*'], till_id: ['*'] },
  decode: { type: 'json' },
  transform: { language: 'jsonata', expression: 'doc' },
};

type Kind = 'receipt' | 'packet';

interface Accepted {
  readonly kind: Kind;
  readonly id: string;
  readonly total: number;
}

/** Undefined if the request was refused or its outcome is unknown. */
type Attempt = () => Promise<Accepted | undefined>;

/** The comparison of the responses with the stored data. */
export interface Findings {
  readonly requests: number;
  /** Requests that a till had to repeat because of a 503 or a broken connection. */
  readonly refused: number;
  readonly accepted: number;
  readonly lost: number;
  readonly doubled: number;
  /**
   * Receipts with another id or total than in the response, receipts that were never posted, invalid responses, or
   * wrong summaries.
   */
  readonly wrong: number;
  readonly p99Ms: number;
  /** The slowest request, whatever its outcome. */
  readonly slowestMs: number;
  /** The longest time without an accepted request of one kind. */
  readonly outageSeconds: number;
}

export interface LedgerOptions {
  readonly tills: number;
  /** How many times each receipt is posted concurrently, like tills that repeat requests early. */
  readonly copies?: number;
  readonly overrides?: () => Record<string, unknown>;
  /** The number of tills that send packets, which requires `acceptPackets`. Default: none. */
  readonly packetTills?: number;
  /** The pause of a till between two receipts. Default: 20 ms. */
  readonly thinkMs?: number;
}

const isTimeout = (error: unknown) => /no answer within/.test(String(error));

/** Prepares a retailer for tills that send packets. */
export async function acceptPackets(client: Client): Promise<void> {
  const answers = [
    await client.post('/pos/mappings', mapping),
    await client.post(`/pos/mappings/${mapping.id}/_activate`, {}),
  ];
  const refused = answers.find(({ status }) => status >= 300);
  if (refused) throw new Error(`no mapping: ${refused.status} ${refused.bytes.toString()}`);
}

export function p99Of(tookMs: readonly number[]): number {
  return [...tookMs].sort((a, b) => a - b)[Math.floor(tookMs.length * 0.99)] ?? 0;
}

/** Tills that post receipts and packets, and record all requests and responses. */
export class Ledger {
  private readonly accepted = new Map<string, Accepted>();
  private readonly posted = new Set<string>();
  private readonly tookMs: number[] = [];
  private readonly identifier = uniqueId('drill');
  private readonly workers: Promise<void>[];
  private requests = 0;
  private refused = 0;
  private wrong = 0;
  private slowestMs = 0;
  /** By kind, because one service may respond while another does not. */
  private readonly lastAcceptedAt = new Map<Kind, number>();
  private outageMs = 0;
  private running = true;
  private abandoned = false;

  constructor(
    private readonly client: Client,
    private readonly options: LedgerOptions,
  ) {
    const { tills, packetTills = 0 } = options;
    if (packetTills < tills) this.lastAcceptedAt.set('receipt', performance.now());
    if (packetTills > 0) this.lastAcceptedAt.set('packet', performance.now());
    this.workers = Array.from({ length: tills }, (_, till) =>
      this.till(till < packetTills ? 'packet' : 'receipt'),
    );
  }

  get count(): number {
    return this.accepted.size;
  }

  /** The durations of accepted requests so far, in milliseconds. */
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
    this.running = false;
    await Promise.all(this.workers);
    const giveUpAt = performance.now() + settledWithinMs;
    for (let comparisons = 1; ; comparisons++) {
      const findings = await this.compare();
      const isRight = findings.lost + findings.doubled + findings.wrong === this.wrong;
      if (isRight || (comparisons >= comparisonsMin && performance.now() > giveUpAt)) return findings;
      await pause(pollMs);
    }
  }

  /** Ends the posting without comparing the results, for a test that has failed. */
  abandon(): void {
    this.running = false;
    this.abandoned = true;
  }

  private async till(kind: Kind): Promise<void> {
    const { copies = 1, overrides = () => ({}), thinkMs = defaultThinkMs } = this.options;
    while (this.running) {
      const transactionId = uniqueId('drill');
      const total = Math.floor(Math.random() * 10_000) / 100;
      const { identifier } = this;
      const receipt = aReceipt({ ...overrides(), total, identifier, transaction_id: transactionId });
      this.posted.add(transactionId);
      const attempt = async () => {
        const id = await (kind === 'packet' ? this.packet(transactionId, receipt) : this.receipt(receipt));
        return id === undefined ? undefined : { kind, id, total };
      };
      await Promise.all(Array.from({ length: copies }, () => this.post(transactionId, attempt)));
      await pause(thinkMs);
    }
  }

  private async post(transactionId: string, attempt: Attempt): Promise<void> {
    while (!this.abandoned) {
      const accepted = await this.timed(attempt);
      if (accepted === undefined) {
        await pause(retryPauseMs);
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
      return undefined;
    });
    const now = performance.now();
    this.slowestMs = Math.max(this.slowestMs, now - began);
    if (accepted === undefined) {
      this.refused++;
      return undefined;
    }
    this.tookMs.push(now - began);
    this.outageMs = Math.max(this.outageMs, now - (this.lastAcceptedAt.get(accepted.kind) ?? now));
    this.lastAcceptedAt.set(accepted.kind, now);
    return accepted;
  }

  private async receipt(body: object): Promise<string | undefined> {
    const { status, body: answered } = await this.client.call('/receipts', { method: 'POST', body });
    if (status === 201 || status === 409) return (answered as { id: string }).id;
    if (status !== 503) this.wrong++;
    return undefined;
  }

  /** A till repeats a packet with the same idempotency key if the outcome is unknown. */
  private async packet(key: string, receipt: object): Promise<string | undefined> {
    const { status, headers } = await this.client.call('/pos/receipts', {
      method: 'POST',
      body: JSON.stringify(receipt),
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
    });
    if (status === 202) return headers.location?.split('/').at(-1);
    if (status !== 503) this.wrong++;
    return undefined;
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
    return {
      requests: this.requests,
      refused: this.refused,
      accepted: entries.length,
      lost: entries.filter(([transactionId]) => !stored.has(transactionId)).length,
      doubled: [...stored.values()].filter((found) => found.length > 1).length,
      wrong:
        this.wrong + strangers.length + others.length + ((await this.isSummaryRight(stored.size)) ? 0 : 1),
      p99Ms: p99Of(this.tookMs),
      slowestMs: this.slowestMs,
      outageSeconds: this.outageMs / 1_000,
    };
  }

  /** The consumer's summary is derived from events, so it shows whether all events were processed. */
  private async isSummaryRight(count: number): Promise<boolean> {
    const { status, body } = await this.client.get(`/identifiers/${this.identifier}`);
    return count === 0 || (status === 200 && body.summary.receipts === count);
  }
}
