import { randomUUID } from 'node:crypto';
import { databaseTimeoutMs } from '@receipts/storage';
import type { Log } from '@receipts/kernel';
import type { LaneDocument, WebhookLanes } from '../storage/webhook-lanes';
import type { WebhookDeliveries } from '../storage/webhook-deliveries';
import type { AttemptDelivery } from './attempt-delivery';

export interface DispatcherParts {
  readonly lanes: WebhookLanes;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly attempt: AttemptDelivery;
  /** Other work, done one piece at a time; true when there may be more. */
  readonly background: () => Promise<boolean>;
  readonly log: Log;
  readonly now: () => Date;
}

/** The maximum of endpoints that a process works on at a time. Each has at most two connections. */
const lanesMax = 256;
/** The maximum of these that may be failing endpoints, so that working ones always get a turn. */
const failingLanesMax = 64;
const attemptsPerLane = 2;
/** After this time an endpoint with much work releases its lane, so that others get a turn. */
const turnMs = 5_000;
/** Longer than a turn and an attempt together. */
const leaseMs = 60_000;
const lookEveryMs = 1_000;
const mendEveryMs = 60_000;
const stopGraceMs = 4_000;

const budget = () => AbortSignal.timeout(databaseTimeoutMs);

/** A process's turn at the work of one endpoint. */
interface Turn {
  readonly lane: LaneDocument;
  readonly endsAt: number;
  failing: boolean;
  /** Set if the receiver has asked for a pause. */
  holdUntil?: Date;
}

/**
 * Makes the attempts that are due. Each endpoint has its own lane: one process at a time works on it, with two concurrent
 * attempts, so that a hanging or failing endpoint does not affect the others.
 */
export class WebhookDispatcher {
  private readonly owner = randomUUID();
  private readonly timer: NodeJS.Timeout;
  private readonly turns = new Map<Turn, Promise<void>>();
  private filling: Promise<void> | undefined;
  private fillAgain = false;
  private mendAt = 0;
  private stopped = false;

  constructor(private readonly parts: DispatcherParts) {
    this.timer = setInterval(() => this.wake(), lookEveryMs).unref();
  }

  wake(): void {
    if (this.stopped) return;
    this.fillAgain = true;
    this.filling ??= this.fill().finally(() => (this.filling = undefined));
  }

  /** Finishes attempts in progress, within bounds; the claims of the rest expire. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    let bound: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => (bound = setTimeout(resolve, stopGraceMs)));
    await Promise.race([Promise.all([this.filling, ...this.turns.values()]), timeout]);
    clearTimeout(bound);
  }

  private async fill(): Promise<void> {
    try {
      while (this.fillAgain && !this.stopped) {
        this.fillAgain = false;
        await this.mend();
        await this.claimLanes();
        if (await this.parts.background()) this.fillAgain = true;
      }
    } catch (error) {
      this.warn('could not look for webhooks that are due', error);
    }
  }

  private async claimLanes(): Promise<void> {
    const { lanes, now } = this.parts;
    while (!this.stopped && this.turns.size < lanesMax) {
      const failingCount = [...this.turns.keys()].filter(({ failing }) => failing).length;
      const which = { failing: failingCount < failingLanesMax };
      const lane = await lanes.claim(this.owner, now(), leaseMs, which, budget());
      if (!lane) return;
      const turn: Turn = { lane, endsAt: performance.now() + turnMs, failing: lane.failingSince !== null };
      this.turns.set(
        turn,
        this.run(turn).finally(() => {
          this.turns.delete(turn);
          this.wake();
        }),
      );
    }
  }

  private async run(turn: Turn): Promise<void> {
    try {
      const workers = turn.failing ? 1 : attemptsPerLane;
      await Promise.all(Array.from({ length: workers }, () => this.work(turn)));
      await this.leave(turn);
    } catch (error) {
      // The lease expires, and another process finds the lane again.
      this.warn('could not work on the webhooks of an endpoint', error);
    }
  }

  private async work(turn: Turn): Promise<void> {
    const { webhookDeliveries, attempt, now } = this.parts;
    const { _id: endpointId, retailer } = turn.lane;
    while (!this.stopped && !turn.holdUntil && performance.now() < turn.endsAt) {
      const due = await webhookDeliveries.claimDue({ retailer, endpointId }, now(), budget());
      if (!due) return;
      const { isFailing, holdUntil } = await attempt(due, turn.failing);
      turn.failing = isFailing;
      if (holdUntil) turn.holdUntil = holdUntil;
    }
  }

  /**
   * Releases the lane with the time of its next work. Work that is added at the same time is noticed by the count of
   * wakes.
   */
  private async leave({ lane, holdUntil }: Turn): Promise<void> {
    const { lanes, webhookDeliveries } = this.parts;
    const { _id, retailer } = lane;
    for (;;) {
      const found = await lanes.find(_id, budget());
      if (found?.owner !== this.owner) return;
      const next = await webhookDeliveries.nextDue({ retailer, endpointId: _id }, budget());
      if (await lanes.release(found, next, holdUntil, budget())) return;
    }
  }

  /** Wakes lanes that have work but no due time, because a process crashed between the two writes. */
  private async mend(): Promise<void> {
    const { lanes, webhookDeliveries, now } = this.parts;
    const at = now();
    if (at.getTime() < this.mendAt) return;
    this.mendAt = at.getTime() + mendEveryMs;
    const before = new Date(at.getTime() - mendEveryMs);
    await lanes.wake(await webhookDeliveries.overdue(before, budget()), at, budget());
  }

  private warn(msg: string, error: unknown): void {
    this.parts.log.warn(msg, { error });
  }
}
