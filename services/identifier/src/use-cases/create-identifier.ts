import type { identifierContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { identifierOf } from '../domain/identifier';
import { newIdentifier } from '../storage/identifiers';
import type { Dependencies } from './dependencies';

/** Creates an identifier. */
export function createIdentifier(
  deps: Dependencies,
): Handler<(typeof identifierContracts)['createIdentifier']> {
  return async ({ body }, call) => {
    const { source_updated_timestamp: sourceUpdated, properties } = body;
    const given = {
      sourceUpdatedAt: sourceUpdated === undefined ? null : new Date(sourceUpdated),
      properties: JSON.stringify(properties ?? {}),
    };
    // A retry with the same idempotency key is executed with the id of the first request.
    const entry = newIdentifier(body.identifier, given, call, deps.now());
    const signal = deadlineSignal(call);
    const document = await deps.identifiers.create(entry, signal);
    deps.relay.enqueue([{ _id: document._id, items: document.outbox ?? [] }]);
    const totals = await deps.contributions.totals(call.retailer, [body.identifier], signal);
    return {
      body: identifierOf(document, totals.get(body.identifier)),
      meta: { identifier: body.identifier, version: document.version },
    };
  };
}
