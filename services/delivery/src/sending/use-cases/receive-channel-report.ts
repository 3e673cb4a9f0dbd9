import { channelAccountNotFound } from '@receipts/contracts';
import { ServiceError, type Call } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { DeliveryCounters } from '../../delivery-counters';
import type { HandlerOf } from '../../handler-of';
import type { ProviderAccounts } from '../channels/accounts';
import type { Report } from '../channels/channel';
import { changeBy } from '../domain/report';
import type { Deliveries } from '../storage/deliveries';
import { deliveryEvent } from './delivery-events';

export interface ReportDependencies {
  readonly accounts: ProviderAccounts;
  readonly deliveries: Deliveries;
  readonly counters: DeliveryCounters;
  readonly now: () => Date;
}

const roundsMax = 5;

/** Handles a provider's reports about messages. */
export function receiveChannelReport(deps: ReportDependencies): HandlerOf<'receiveChannelReport'> {
  return async (callback, call) => {
    const account = deps.accounts.get(callback.params.account);
    if (!account) throw new ServiceError(channelAccountNotFound);
    for (const report of account.readCallback(callback)) await apply(report, call, deps);
    return {};
  };
}

/** Retries if the delivery was changed meanwhile. */
async function apply(
  report: Report,
  call: Call,
  { deliveries, counters, now }: ReportDependencies,
): Promise<void> {
  const signal = deadlineSignal(call);
  for (let round = 0; round < roundsMax; round++) {
    const current = await deliveries.find(report.deliveryId, signal);
    const change = current && changeBy(current, report, now());
    if (!change) return;
    const { event: type, ...facts } = change;
    const { retailer } = current;
    const updated = { ...current, reason: facts.reason, version: current.version + 1 };
    const event = type && deliveryEvent(type, updated, { ...call, retailer }, now());
    if (!(await deliveries.reported(current, facts, event, now(), signal))) continue;
    if (type) counters.ended(current.channel, facts.status === 'sent' ? 'succeeded' : 'failed', facts.reason);
    return;
  }
  throw new Error('too many concurrent changes to a delivery');
}
