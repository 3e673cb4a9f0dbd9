import { timestampOf } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import type { EndpointRecord } from '../domain/endpoint';
import type { WebhookDependencies } from './webhook-dependencies';

const countMax = 100;
const pendingMax = 1_000;

type Dependencies = Pick<WebhookDependencies, 'endpoints' | 'endpointLeases' | 'webhookDeliveries'>;

/** Lists failing endpoints of all retailers, for the operator. */
export function listTroubledWebhookEndpoints({
  endpoints,
  endpointLeases,
  webhookDeliveries,
}: Dependencies): HandlerOf<'listTroubledWebhookEndpoints'> {
  return async (_input, call) => {
    const signal = deadlineSignal(call);
    const [failing, disabled] = await Promise.all([
      endpointLeases.failing(countMax, signal),
      endpoints.disabledByUs(countMax, signal),
    ]);
    const since = new Map(failing.map(({ _id, failingSince }) => [_id, failingSince]));
    const known = new Map((await endpoints.ofIds([...since.keys()], signal)).map((each) => [each.id, each]));
    const inOrder = [...since.keys()].flatMap((id) => known.get(id) ?? []);
    // Endpoints that their retailer has disabled are omitted.
    const troubled = inOrder.filter(
      ({ settings, disabledReason }) => settings.enabled || disabledReason !== null,
    );
    const all = [...troubled, ...disabled.filter(({ id }) => !since.has(id))];
    const entry = async (record: EndpointRecord) => {
      const { id, retailer, settings, disabledReason, updatedAt } = record;
      const which = { retailer, endpointId: id };
      const [pending, lastFailure] = await Promise.all([
        webhookDeliveries.countPending(which, pendingMax, signal),
        webhookDeliveries.lastFailure(which, signal),
      ]);
      const failingSince = since.get(id);
      return {
        retailer,
        id,
        origin: new URL(settings.url).origin,
        pending,
        last_failure: lastFailure ?? null,
        failing_since: failingSince ? timestampOf(failingSince) : null,
        disabled_reason: disabledReason,
        disabled_timestamp: disabledReason === null ? null : timestampOf(updatedAt),
      };
    };
    return { body: { endpoints: await Promise.all(all.map(entry)) } };
  };
}
