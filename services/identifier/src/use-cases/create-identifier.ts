import { consumerMismatch, identifierEvents, type identifierContracts } from '@receipts/contracts';
import { eventOf, ServiceError, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { identifierOf, type IdentifierRecord } from '../domain/identifier';
import type { Parts } from './parts';

/** Creates an identifier. Credentials restricted to consumers can create only those consumers. */
export function createIdentifier(parts: Parts): Handler<(typeof identifierContracts)['createIdentifier']> {
  return async ({ body }, call) => {
    if (call.consumers && !call.consumers.includes(body.identifier)) throw new ServiceError(consumerMismatch);
    const now = parts.now();
    const record: IdentifierRecord = {
      identifier: body.identifier,
      version: 1,
      createdAt: now,
      updatedAt: now,
      sourceUpdatedAt:
        body.source_updated_timestamp === undefined ? null : new Date(body.source_updated_timestamp),
      properties: JSON.stringify(body.properties ?? {}),
    };
    const { summary: _summary, ...data } = identifierOf(record);
    const facts = { subject: body.identifier, sequence: 1, data };
    const event = eventOf(identifierEvents.identifierCreated, facts, call, now);
    const signal = deadlineSignal(call);
    // A retry with the same idempotency key is executed with the id of the first request.
    const entry = { record, retailer: call.retailer, origin: call.id, event };
    const document = await parts.identifiers.create(entry, signal);
    parts.relay.enqueue([{ _id: document._id, items: document.outbox ?? [] }]);
    const totals = await parts.contributions.totals(call.retailer, [body.identifier], signal);
    return {
      body: identifierOf(document, totals.get(body.identifier)),
      meta: { identifier: body.identifier, version: document.version },
    };
  };
}
