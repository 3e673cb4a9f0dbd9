import { timestampOf } from '@receipts/kernel';
import { databaseTimeout } from '@receipts/storage';
import { hasFailedForTooLong, verdictOf, type Attempt, type Verdict } from '../domain/attempt';
import { disableEndpoint } from './disable-endpoint';
import { signingSecrets, type EndpointRecord } from '../domain/endpoint';
import { messageBody, messageHeaders, type MessageEvent } from '../domain/message';
import type { LoggedAttempt, WebhookDeliveryDocument } from '../storage/webhook-delivery-document';
import type { EndpointLease } from './endpoint-lease';
import type { PostWebhook } from '../http/post-webhook';
import type { WebhookDependencies } from './webhook-dependencies';

const userAgent = 'Receipts-Webhooks/1.0';
export class DeliveryAttempts {
  constructor(private readonly deps: WebhookDependencies & { readonly post: PostWebhook }) {}

  /** Makes one claimed attempt and saves its result, and the endpoint's state in the lease. */
  async attempt(delivery: WebhookDeliveryDocument, lease: EndpointLease): Promise<void> {
    const { endpoints, eventLog, webhookDeliveries, counters, now } = this.deps;
    const { retailer, endpointId, eventId } = delivery;
    const endpoint = await endpoints.find(retailer, endpointId, databaseTimeout());
    if (!endpoint) {
      await webhookDeliveries.remove(retailer, delivery._id, databaseTimeout());
      return;
    }
    if (!endpoint.settings.enabled && !delivery.event) {
      const count = await webhookDeliveries.failPending(delivery, now(), databaseTimeout());
      counters.ended('webhook', 'failed', 'endpoint_disabled', count);
      return;
    }
    if (endpoint.settings.ordering === 'subject' && (await this.mustWait(delivery))) return;
    const event = delivery.event ?? (await eventLog.find(retailer, eventId, databaseTimeout()));
    if (!event) {
      await this.end(delivery, { status: 'failed', reason: 'event_expired' });
      await this.releaseNext(endpoint, delivery);
      return;
    }
    // Another process may have taken over, and delivered this and later events.
    if (!lease.isValid) return;
    const { attempt, logged } = await this.post(endpoint, event);
    if (delivery.event) {
      const { outcome } = attempt;
      const verdict =
        outcome === 'succeeded' ? { kind: outcome } : { kind: 'failed' as const, reason: outcome };
      await this.settle(delivery, verdict, logged);
      return;
    }
    const at = now();
    const verdict = verdictOf(attempt, delivery.attempts, this.deps.schedule, at);
    // This happens before the delivery is settled: its next attempt may begin immediately, and must know since when
    // attempts have failed.
    const failingSince = await this.noteHealth(verdict, lease, at);
    await this.settle(delivery, verdict, logged);
    if (verdict.kind !== 'retry') await this.releaseNext(endpoint, delivery);
    if (failingSince) await this.disableIfDue(endpoint, verdict, failingSince, at);
    lease.isFailing = verdict.kind !== 'succeeded';
    if (verdict.kind === 'retry' && verdict.pausedUntil) lease.pausedUntil = verdict.pausedUntil;
  }

  /**
   * Whether an earlier event of the same subject must still be delivered to this endpoint. The hold is written before
   * the last check. If the earlier event is finished in between, either the check sees this, or the process that
   * finishes it sees the hold.
   */
  private async mustWait(delivery: WebhookDeliveryDocument): Promise<boolean> {
    const { deliveryQueue, now } = this.deps;
    const earlier = await deliveryQueue.earlierDue(delivery, databaseTimeout());
    if (!earlier) return false;
    const until = new Date(Math.max(earlier.getTime(), now().getTime()) + 1);
    await deliveryQueue.hold(delivery, until, now(), databaseTimeout());
    if (!(await deliveryQueue.earlierDue(delivery, databaseTimeout())) && delivery.orderingKey) {
      await deliveryQueue.releaseNext(delivery, delivery.orderingKey, now(), databaseTimeout());
    }
    return true;
  }

  private async releaseNext(
    { settings }: EndpointRecord,
    delivery: Pick<WebhookDeliveryDocument, 'retailer' | 'endpointId' | 'orderingKey'>,
  ): Promise<void> {
    if (settings.ordering !== 'subject' || !delivery.orderingKey) return;
    const { deliveryQueue, now } = this.deps;
    await deliveryQueue.releaseNext(delivery, delivery.orderingKey, now(), databaseTimeout());
  }

  private async post(
    endpoint: EndpointRecord,
    event: MessageEvent,
  ): Promise<{ attempt: Attempt; logged: LoggedAttempt }> {
    const { sealer, post, now } = this.deps;
    const { url, payload } = endpoint.settings;
    const at = now();
    const secrets = signingSecrets(endpoint, at).map(({ sealed }) => sealer.open(sealed));
    const body = messageBody(event, payload);
    const signed: Record<string, string> = {
      ...messageHeaders(event.id, body, secrets, at),
      'user-agent': userAgent,
    };
    const attempt = await post({ url, headers: signed, body, traceparent: event.traceparent });
    const { 'webhook-signature': _signature, ...headers } = signed;
    const { outcome, error, durationMs, response } = attempt;
    const logged: LoggedAttempt = {
      timestamp: timestampOf(at),
      duration_ms: durationMs,
      outcome,
      error,
      request: { url, headers },
      response: response ?? null,
    };
    return { attempt, logged };
  }

  private async settle(
    delivery: WebhookDeliveryDocument,
    verdict: Verdict,
    attempt: LoggedAttempt,
  ): Promise<void> {
    const { deliveryQueue, now } = this.deps;
    if (verdict.kind === 'retry') {
      const outcome = { status: 'pending', reason: attempt.outcome, dueAt: verdict.at, attempt } as const;
      await deliveryQueue.settle(delivery, outcome, now(), databaseTimeout());
      return;
    }
    const reason = verdict.kind === 'failed' ? verdict.reason : null;
    await this.end(delivery, { status: verdict.kind, reason, attempt });
  }

  private async end(
    delivery: WebhookDeliveryDocument,
    outcome: {
      readonly status: 'succeeded' | 'failed';
      readonly reason: string | null;
      readonly attempt?: LoggedAttempt;
    },
  ): Promise<void> {
    const { deliveryQueue, counters, now } = this.deps;
    const isSaved = await deliveryQueue.settle(delivery, outcome, now(), databaseTimeout());
    // A test of an endpoint delivers nothing.
    if (isSaved && !delivery.event) counters.ended('webhook', outcome.status, outcome.reason);
  }

  /** @returns the time since which the endpoint has been failing; undefined if it is working */
  private async noteHealth(
    { kind }: Verdict,
    { endpointId, isFailing }: EndpointLease,
    at: Date,
  ): Promise<Date | undefined> {
    const { endpointLeases } = this.deps;
    if (kind !== 'succeeded') return endpointLeases.failed(endpointId, at, databaseTimeout());
    if (isFailing) await endpointLeases.recovered(endpointId, databaseTimeout());
    return undefined;
  }

  /** Disables an endpoint that returns 410 or has failed for too long. */
  private async disableIfDue(
    endpoint: EndpointRecord,
    verdict: Verdict,
    since: Date,
    at: Date,
  ): Promise<void> {
    if (verdict.kind === 'failed' && verdict.disable)
      await disableEndpoint(endpoint, { reason: verdict.disable, since }, this.deps);
    else if (hasFailedForTooLong(since, at))
      await disableEndpoint(endpoint, { reason: 'failing', since }, this.deps);
  }
}
