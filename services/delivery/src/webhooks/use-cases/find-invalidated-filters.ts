import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { isValidFilter } from '../domain/event-filter';
import type { WebhookDependencies } from './webhook-dependencies';

/** Tells which filters a change of the dynamic fields would make invalid. */
export function findInvalidatedFilters({
  endpoints,
}: Pick<WebhookDependencies, 'endpoints'>): HandlerOf<'findInvalidatedFilters'> {
  return async ({ body: { before, after } }, call) => {
    const all = await endpoints.ofRetailers([call.retailer], deadlineSignal(call));
    const invalidated = all.filter(
      ({ settings: { filter } }) =>
        isValidFilter(filter, { dynamic_fields: before }) &&
        !isValidFilter(filter, { dynamic_fields: after }),
    );
    return { body: { endpoints: invalidated.map(({ id }) => id).sort() } };
  };
}
