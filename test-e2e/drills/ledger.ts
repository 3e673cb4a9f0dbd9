import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../harness/client';
import { aReceipt, uniqueId } from '../harness/receipts';
import { isBrokenConnection, readAll } from '../harness/traffic';

const retryPauseMs = 100;
const thinkMs = 20;
const settledWithinMs = 60_000;
const pollMs = 250;

interface Accepted {
  readonly id: string;
  readonly total: number;
}

/** What the store says of what was answered. */
export interface Findings {
  readonly requests: number;
  readonly accepted: number;
  readonly lost: number;
  readonly doubled: number;
  /** Another id or total than was answered, a receipt that nobody posted, an answer that is no answer, a wrong summary. */
  readonly wrong: number;
  readonly p99Ms: number;
  /** The longest time without an accepted request. */
  readonly outageSeconds: number;
}

export interface LedgerOptions {
  readonly tills: number;
  /** Each receipt is posted so often at once, as tills do that lose patience. */
  readonly copies?: number;
  readonly overrides?: () => Record<string, unknown>;
}

/** Tills that post receipts and write down every request and what was answered. */
export class Ledger {
  private readonly accepted = new Map<string, Accepted>();
  private readonly posted = new Set<string>();
  private readonly tookMs: number[] = [];
  private readonly identifier = uniqueId('drill');
  private readonly workers: Promise<void>[];
  private requests = 0;
  private wrong = 0;
  private lastAcceptedAt = performance.now();
  private outageMs = 0;
  private running = true;

  constructor(
    private readonly client: Client,
    private readonly options: LedgerOptions,
  ) {
    this.workers = Array.from({ length: options.tills }, () => this.till());
  }

  get count(): number {
    return this.accepted.size;
  }

  /** Ends the posting, and compares what was answered with what is stored. */
  async close(): Promise<Findings> {
    this.running = false;
    await Promise.all(this.workers);
    const giveUpAt = performance.now() + settledWithinMs;
    for (;;) {
      const findings = await this.compare();
      const isRight = findings.lost + findings.doubled + findings.wrong === this.wrong;
      if (isRight || performance.now() > giveUpAt) return findings;
      await pause(pollMs);
    }
  }

  private async till(): Promise<void> {
    const { copies = 1, overrides = () => ({}) } = this.options;
    while (this.running) {
      const transactionId = uniqueId('drill');
      const total = Math.floor(Math.random() * 10_000) / 100;
      const { identifier } = this;
      const receipt = aReceipt({ ...overrides(), total, identifier, transaction_id: transactionId });
      this.posted.add(transactionId);
      await Promise.all(Array.from({ length: copies }, () => this.post(transactionId, total, receipt)));
      await pause(thinkMs);
    }
  }

  private async post(transactionId: string, total: number, receipt: object): Promise<void> {
    for (;;) {
      const id = await this.attempt(receipt);
      if (id === undefined) {
        await pause(retryPauseMs);
        continue;
      }
      const known = this.accepted.get(transactionId);
      if (known && known.id !== id) this.wrong++;
      this.accepted.set(transactionId, { id, total });
      return;
    }
  }

  /** The id that was answered, if any. */
  private async attempt(body: object): Promise<string | undefined> {
    this.requests++;
    const began = performance.now();
    try {
      const { status, body: answered } = await this.client.call('/receipts', { method: 'POST', body });
      if (status === 201 || status === 409) {
        this.note(began);
        return (answered as { id: string }).id;
      }
      if (status !== 503) this.wrong++;
    } catch (error) {
      if (!isBrokenConnection(error)) this.wrong++;
    }
    return undefined;
  }

  private note(began: number): void {
    const now = performance.now();
    this.tookMs.push(now - began);
    this.outageMs = Math.max(this.outageMs, now - this.lastAcceptedAt);
    this.lastAcceptedAt = now;
  }

  private async compare(): Promise<Findings> {
    const stored = new Map<string, string[]>();
    for (const { id, transaction_id: transactionId } of await readAll(this.client)) {
      stored.set(transactionId, [...(stored.get(transactionId) ?? []), id]);
    }
    const entries = [...this.accepted];
    const strangers = [...stored.keys()].filter((transactionId) => !this.posted.has(transactionId));
    const others = entries.filter(([name, { id }]) => stored.has(name) && !stored.get(name)?.includes(id));
    const tookMs = [...this.tookMs].sort((a, b) => a - b);
    return {
      requests: this.requests,
      accepted: entries.length,
      lost: entries.filter(([transactionId]) => !stored.has(transactionId)).length,
      doubled: [...stored.values()].filter((ids) => ids.length > 1).length,
      wrong:
        this.wrong + strangers.length + others.length + ((await this.isSummaryRight(stored.size)) ? 0 : 1),
      p99Ms: tookMs[Math.floor(tookMs.length * 0.99)] ?? 0,
      outageSeconds: this.outageMs / 1_000,
    };
  }

  /** The consumer's summary is told by events, so it shows what became of those. */
  private async isSummaryRight(count: number): Promise<boolean> {
    const { status, body } = await this.client.get(`/identifiers/${this.identifier}`);
    return count === 0 || (status === 200 && body.summary.receipts === count);
  }
}
