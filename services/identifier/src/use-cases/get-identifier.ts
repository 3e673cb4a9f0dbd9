import { identifierNotFound, type identifierContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { identifierOf } from '../domain/identifier';
import type { Parts } from './parts';

/** Returns an identifier. Credentials restricted to consumers get 404 for other consumers. */
export function getIdentifier(parts: Parts): Handler<(typeof identifierContracts)['getIdentifier']> {
  return async ({ params: { identifier } }, call) => {
    if (call.consumers && !call.consumers.includes(identifier)) throw new ServiceError(identifierNotFound);
    const signal = deadlineSignal(call);
    const [record, totals] = await Promise.all([
      parts.identifiers.find(call.retailer, identifier, signal),
      parts.contributions.totals(call.retailer, [identifier], signal),
    ]);
    if (!record) throw new ServiceError(identifierNotFound);
    return { body: identifierOf(record, totals.get(identifier)), meta: { version: record.version } };
  };
}
