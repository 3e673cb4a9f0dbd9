import { identifierEvents, identifierNotFound, type identifierContracts } from '@receipts/contracts';
import { checkIfMatch } from '@receipts/json-patch';
import { eventOf, ServiceError, type Handler } from '@receipts/kernel';
import { deadlineSignal, outboxItem } from '@receipts/storage';
import { identifierOf } from '../domain/identifier';
import { patchIdentifier as patched } from '../domain/patch-identifier';
import { findIdentifier } from './find-identifier';
import type { Dependencies } from './dependencies';

/** Changes the properties of an identifier. Credentials restricted to consumers get 404 for other consumers. */
export function patchIdentifier(
  deps: Dependencies,
): Handler<(typeof identifierContracts)['patchIdentifier']> {
  return async ({ params: { identifier }, headers, body, contentType }, call) => {
    // A patch may test the summary.
    const { record, totals } = await findIdentifier(deps, identifier, call);
    const now = deps.now();
    const saved = await deps.changes.change(record._id, {
      retailer: call.retailer,
      cause: call.id,
      signal: deadlineSignal(call, undefined, Infinity),
      decide(current) {
        checkIfMatch(headers['if-match'], current.version);
        const shown = identifierOf(current, totals);
        const properties = JSON.stringify(patched(shown, { body, contentType }));
        if (properties === current.properties) return undefined;
        const next = { ...current, properties, updatedAt: now, version: current.version + 1 };
        const { summary: _summary, ...data } = identifierOf(next);
        const facts = { subject: identifier, sequence: next.version, data };
        const event = eventOf(identifierEvents.identifierUpdated, facts, call, now);
        return { state: next, outbox: [outboxItem(event)] };
      },
    });
    if (!saved) throw new ServiceError(identifierNotFound);
    return { meta: { version: saved.version } };
  };
}
