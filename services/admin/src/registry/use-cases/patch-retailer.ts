import { deliveryContracts, retailerNotFound, settingInUse } from '@receipts/contracts';
import { entityTag } from '@receipts/json-patch';
import { concurrentWrite, serviceCall, ServiceError, type Call } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { retailerEvent } from '../domain/events';
import {
  operatorRetailerOf,
  patchRetailer as patched,
  withdrawsFields,
  type RetailerRecord,
} from '../domain/retailer';

export function patchRetailer(deps: Registry): HandlerOf<'patchRetailer'> {
  return async ({ params, query, headers, body, contentType }, call) => {
    const now = deps.now();
    const patch = (current: RetailerRecord) => patched(current, { body, contentType }, headers['if-match']);
    const isForced = query?.force ?? false;
    const checked = isForced ? undefined : await checkUse(params.id, patch, call, deps);
    const record = await deps.retailers.change(
      params.id,
      params.id,
      (current) => {
        const next = patch(current);
        const isUnchecked = !isForced && current.version !== checked;
        if (isUnchecked && withdrawsFields(current, next)) throw new ServiceError(concurrentWrite);
        return next;
      },
      (next) => retailerEvent(next, call, now),
      { callId: call.id, signal: deadlineSignal(call) },
    );
    if (!record) throw new ServiceError(retailerNotFound);
    return { body: operatorRetailerOf(record), meta: { etag: entityTag(record.version) } };
  };
}

/**
 * Asks whether the filter of a webhook endpoint would become invalid. Mappings and other stored expressions do not
 * depend on settings.
 * @returns the version of the retailer that was checked
 * @throws ServiceError 409 `setting_in_use`, 503
 */
async function checkUse(
  id: string,
  patch: (current: RetailerRecord) => RetailerRecord,
  call: Call,
  { retailers, ask, now }: Registry,
): Promise<number | undefined> {
  const current = await retailers.find(id, deadlineSignal(call));
  const next = current && patchOrUndefined(current, patch);
  if (!next || !withdrawsFields(current, next)) return current?.version;
  const inner = { ...serviceCall('admin', now().getTime(), id), requestId: call.requestId };
  const before = current.settings.dynamic_fields;
  const body = { before, after: next.settings.dynamic_fields };
  const { endpoints } = (await ask(deliveryContracts.findInvalidatedFilters, { body }, inner)).body;
  if (endpoints.length === 0) return current.version;
  const usedBy = endpoints.map((endpoint) => ({ type: 'webhook_endpoint', id: endpoint }));
  throw new ServiceError(settingInUse, { extra: { used_by: usedBy } });
}

/** An error is reported by the change itself, unless the call is repeated and has already succeeded. */
function patchOrUndefined(
  current: RetailerRecord,
  patch: (current: RetailerRecord) => RetailerRecord,
): RetailerRecord | undefined {
  try {
    return patch(current);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
