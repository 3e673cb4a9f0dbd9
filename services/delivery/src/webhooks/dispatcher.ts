import { randomUUID } from 'node:crypto';
import { PeriodicTask, resolvesWithin, RetriedTask } from '@receipts/concurrency';
import { databaseTimeout } from '@receipts/storage';
import type { ModuleDependencies } from '../module-dependencies';
import { leaseMs, type EndpointLeases } from './storage/endpoint-leases';
import type { WebhookDeliveryQueue } from './storage/webhook-delivery-queue';
import type { DeliveryAttempts } from './attempt-delivery';
import { EndpointLease } from './endpoint-lease';

export interface DispatcherDependencies extends Pick<ModuleDependencies, 'log' | 'now'> {
  readonly endpointLeases: EndpointLeases;
  readonly deliveryQueue: WebhookDeliveryQueue;
  readonly attempts: Pick<DeliveryAttempts, 'attempt'>;
}

/** The maximum number of endpoints that a process serves at a time. Each uses at most two connections. */
const leasesMax = 256;
/** The maximum number of failing endpoints among these, so that working endpoints always get a turn. */
const failingLeasesMax = 64;
const attemptsPerLease = 2;
const pollEveryMs = 1_000;
/** Renewed several times within the duration of a lease, so that one late renewal does not lose it. */
const renewEveryMs = 2_000;
const repairEveryMs = 5_000;
const stopGraceMs = 4_000;

/**
 * Makes the attempts that are due. One process at a time holds the lease of an endpoint and makes two concurrent attempts,
 * so that a hanging or failing endpoint does not affect the others.
 */
export class WebhookDispatcher {
  private readonly owner = randomUUID();
  private timer: NodeJS.Timeout | undefined;
  private readonly renewals: PeriodicTask;
  private readonly leases = new Map<EndpointLease, Promise<void>>();
  private readonly filling: RetriedTask;
  private repairAt = 0;
  private stopped = false;

  constructor(private readonly deps: DispatcherDependencies) {
    this.filling = new RetriedTask({
      run: async () => {
        await this.repairLeases();
        await this.acquireLeases();
        return true;
      },
      retryFirstMs: pollEveryMs,
      retryMaxMs: pollEveryMs,
      log: deps.log,
      failure: 'due webhooks could not be read',
    });
    this.renewals = new PeriodicTask({
      everyMs: renewEveryMs,
      run: () => this.renewLeases(),
      log: deps.log,
      failure: 'could not renew the leases of endpoints',
    });
  }

  start(): void {
    this.timer = setInterval(() => this.wake(), pollEveryMs).unref();
    this.renewals.start();
    this.wake();
  }

  wake(): void {
    this.filling.request();
  }

  /** Finishes attempts in progress, within limits; the leases of the rest expire. */
  async stop(): Promise<void> {
    this.stopped = true;
    await resolvesWithin(stopGraceMs, Promise.all([this.filling.stop(), ...this.leases.values()]));
    clearInterval(this.timer);
    await this.renewals.stop();
  }

  private async acquireLeases(): Promise<void> {
    const { endpointLeases, deliveryQueue, now } = this.deps;
    while (!this.stopped && this.leases.size < leasesMax) {
      const held = [...this.leases.keys()];
      const failingCount = held.filter(({ isFailing }) => isFailing).length;
      const which = {
        failing: failingCount < failingLeasesMax,
        except: held.map(({ endpointId }) => endpointId),
      };
      const at = now();
      const before = await endpointLeases.acquire(this.owner, at, which, databaseTimeout());
      if (!before) return;
      const lease = new EndpointLease(before, new Date(at.getTime() + leaseMs), now);
      if (before.owner !== '') await deliveryQueue.releaseClaims(lease, at, databaseTimeout());
      this.leases.set(
        lease,
        this.run(lease).finally(() => {
          this.leases.delete(lease);
          this.wake();
        }),
      );
    }
  }

  /**
   * A lease that was lost or could not be renewed expires, and the endpoint's attempts end before they reach the
   * receiver.
   */
  private async renewLeases(): Promise<void> {
    const { endpointLeases, now } = this.deps;
    const leases = [...this.leases.keys()];
    if (leases.length === 0) return;
    const until = new Date(now().getTime() + leaseMs);
    const ids = leases.map(({ endpointId }) => endpointId);
    const kept = await endpointLeases.renew(this.owner, ids, until, databaseTimeout());
    for (const lease of leases) lease.renewed(kept.has(lease.endpointId) ? until : undefined);
  }

  private async run(lease: EndpointLease): Promise<void> {
    const workers = lease.isFailing ? 1 : attemptsPerLease;
    const outcomes = await Promise.allSettled(Array.from({ length: workers }, () => this.work(lease)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    try {
      if (failed) throw failed.reason;
      await this.leave(lease);
    } catch (error) {
      // The lease expires, and is acquired again.
      this.deps.log.warn('the webhooks of an endpoint could not be processed', { error });
    }
  }

  private async work(lease: EndpointLease): Promise<void> {
    const { deliveryQueue, attempts, now } = this.deps;
    while (!this.stopped && lease.isOpen) {
      const due = await deliveryQueue.claimDue(lease, now(), databaseTimeout());
      if (!due) return;
      await attempts.attempt(due, lease);
    }
  }

  /**
   * Releases the lease and records when the endpoint's next work is due. The count of wakes reveals work that is added
   * concurrently.
   */
  private async leave(lease: EndpointLease): Promise<void> {
    const { endpointLeases, deliveryQueue } = this.deps;
    while (lease.isValid) {
      const found = await endpointLeases.find(lease.endpointId, databaseTimeout());
      if (found?.owner !== this.owner) return;
      const next = await deliveryQueue.nextDue(lease, databaseTimeout());
      if (await endpointLeases.release(found, next, lease.holdUntil, databaseTimeout())) return;
    }
  }

  /** Wakes endpoints that have work but no due time, because a process crashed between the two writes. */
  private async repairLeases(): Promise<void> {
    const { endpointLeases, deliveryQueue, now } = this.deps;
    const at = now();
    if (at.getTime() < this.repairAt) return;
    this.repairAt = at.getTime() + repairEveryMs;
    const before = new Date(at.getTime() - repairEveryMs);
    await endpointLeases.wake(await deliveryQueue.overdue(before, databaseTimeout()), at, databaseTimeout());
  }
}
