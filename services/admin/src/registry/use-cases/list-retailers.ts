import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { retailerOf } from '../domain/retailer';

export function listRetailers(deps: Registry): HandlerOf<'listRetailers'> {
  return async ({ body }, call) => {
    const { records, next } = await deps.retailers.snapshot(body.after, body.count, deadlineSignal(call));
    return { body: { retailers: records.map(retailerOf), next } };
  };
}
