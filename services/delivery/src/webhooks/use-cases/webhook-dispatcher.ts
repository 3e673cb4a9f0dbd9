import { randomUUID } from 'node:crypto';
import { PeriodicTask } from '@receipts/concurrency';
import { databaseTimeout, DueWork, type ClaimOrder } from '@receipts/storage';
import type { ModuleDependencies } from '../../module-dependencies';
import { leaseMs, type EndpointLeases } from '../storage/endpoint-leases';
import type { WebhookDeliveryQueue } from '../storage/webhook-delivery-queue';
import type { DeliveryAttempts } from './attempt-delivery';
import { EndpointLease } from './endpoint-lease';

export interface DispatcherDependencies extends Pick<ModuleDependencies, 'log' | 'now'> {
  readonly endpointLeases: EndpointLeases;
  readonly deliveryQueue: WebhookDeliveryQueue;
  readonly attempts: Pick<DeliveryAttempts, 'attempt'>;
}

/** The maximum number of endpoints that a process serves at a time. Each uses at most two connections. */
const parallelMax = 256;
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
  private readonly leases = new Set<EndpointLease>();
  private readonly work: DueWork<EndpointLease>;
  private readonly renewals: PeriodicTask;
  private readonly repairs: PeriodicTask;

  constructor(private readonly deps: DispatcherDependencies) {
    const { log } = deps;
    this.work = new DueWork({
      name: 'the webhooks of an endpoint',
      claim: (order, signal) => this.acquireLease(order, signal),
      // A lease that could not be released expires, and is acquired again.
      attempt: (lease) => this.serve(lease).finally(() => this.leases.delete(lease)),
      log,
      parallelMax,
      pollEveryMs,
      stopGraceMs,
    });
    this.renewals = new PeriodicTask({
      everyMs: renewEveryMs,
      run: () => this.renewLeases(),
      log,
      failure: 'could not renew the leases of endpoints',
    });
    this.repairs = new PeriodicTask({
      everyMs: repairEveryMs,
      firstAfterMs: 0,
      run: () => this.repairLeases(),
      log,
      failure: 'could not look for overdue webhooks',
    });
  }

  start(): void {
    this.renewals.start();
    this.repairs.start();
    this.work.start();
  }

  wake(): void {
    this.work.wake();
  }

  /** Finishes attempts in progress, within limits; the leases of the rest expire. */
  async stop(): Promise<void> {
    await this.work.stop();
    await Promise.all([this.renewals.stop(), this.repairs.stop()]);
  }

  private async acquireLease(order: ClaimOrder, signal: AbortSignal): Promise<EndpointLease | null> {
    const { endpointLeases, deliveryQueue, now } = this.deps;
    const held = [...this.leases];
    const failingCount = held.filter(({ isFailing }) => isFailing).length;
    const which = {
      failing: failingCount < failingLeasesMax,
      except: held.map(({ endpointId }) => endpointId),
      exceptRetailers: order.except,
    };
    const at = now();
    const before = await endpointLeases.acquire(this.owner, at, which, signal);
    if (!before) return null;
    const lease = new EndpointLease(before, new Date(at.getTime() + leaseMs), now);
    if (before.owner !== '') await deliveryQueue.releaseClaims(lease, at, databaseTimeout());
    this.leases.add(lease);
    return lease;
  }

  /**
   * A lease that was lost or could not be renewed expires, and the endpoint's attempts end before they reach the
   * receiver.
   */
  private async renewLeases(): Promise<void> {
    const { endpointLeases, now } = this.deps;
    const leases = [...this.leases];
    if (leases.length === 0) return;
    const until = new Date(now().getTime() + leaseMs);
    const ids = leases.map(({ endpointId }) => endpointId);
    const kept = await endpointLeases.renew(this.owner, ids, until, databaseTimeout());
    for (const lease of leases) lease.renewed(kept.has(lease.endpointId) ? until : undefined);
  }

  private async serve(lease: EndpointLease): Promise<void> {
    const workers = lease.isFailing ? 1 : attemptsPerLease;
    const outcomes = await Promise.allSettled(
      Array.from({ length: workers }, () => this.makeAttempts(lease)),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    await this.releaseLease(lease);
  }

  private async makeAttempts(lease: EndpointLease): Promise<void> {
    const { deliveryQueue, attempts, now } = this.deps;
    while (!this.work.isStopping && lease.isOpen) {
      const due = await deliveryQueue.claimDue(lease, now(), databaseTimeout());
      if (!due) return;
      await attempts.attempt(due, lease);
    }
  }

  /**
   * Releases the lease and records when the endpoint's next work is due. The count of wakes reveals work that is added
   * concurrently.
   */
  private async releaseLease(lease: EndpointLease): Promise<void> {
    const { endpointLeases, deliveryQueue } = this.deps;
    while (lease.isValid) {
      const found = await endpointLeases.find(lease.endpointId, databaseTimeout());
      if (found?.owner !== this.owner) return;
      const next = await deliveryQueue.nextDue(lease, databaseTimeout());
      if (await endpointLeases.release(found, next, lease.pausedUntil, databaseTimeout())) return;
    }
  }

  /** Wakes endpoints that have work but no due time, because a process crashed between the two writes. */
  private async repairLeases(): Promise<void> {
    const { endpointLeases, deliveryQueue, now } = this.deps;
    const at = now();
    const before = new Date(at.getTime() - repairEveryMs);
    const overdue = await deliveryQueue.overdue(before, databaseTimeout());
    if (overdue.length === 0) return;
    await endpointLeases.wake(overdue, at, databaseTimeout());
    this.wake();
  }
}
