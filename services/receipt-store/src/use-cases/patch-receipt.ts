import {
  consumerMismatch,
  holdsPermission,
  receiptNotFound,
  unassignPermission,
  type patchReceipt as contract,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { checkIfMatch } from '@receipts/json-patch';
import { permissionNeeded, ServiceError, type Call, type Handler, type Input } from '@receipts/kernel';
import { patchReceipt as patched } from '../domain/patch-receipt';
import { isVisible } from '../domain/visible-receipts';
import type { ReceiptChange } from '../storage/receipt-changes';
import { assignedEvent, eventsOfChange, updatedEvent } from '../storage/receipt-event';
import { changeReceipt } from './change-receipt';
import { searchOfChanged } from './search-of-changed';
import type { Dependencies } from './dependencies';
import { visibleTo } from './visible-to';

/** The deprecated body changes only the identifier. */
function operationsOf({ body, contentType }: Input<typeof contract>): unknown {
  if (contentType !== 'application/json') return body;
  return [{ op: 'add', path: '/identifier', value: (body as { identifier: string }).identifier }];
}

/** @throws ServiceError 403 if the caller may not assign this identifier to the receipt */
function checkNewOwner(before: ReturnedReceipt, { identifier }: ReturnedReceipt, call: Call): void {
  if (identifier === before.identifier) return;
  if (identifier === null) {
    if (!holdsPermission(call.permissions ?? [], unassignPermission))
      throw permissionNeeded(unassignPermission);
  } else if (call.consumers && !call.consumers.includes(identifier)) throw new ServiceError(consumerMismatch);
}

/** Changes the modifiable fields of a receipt. */
export function patchReceipt(deps: Dependencies): Handler<typeof contract> {
  const { stores, findRetailer, now } = deps;
  return async (input, call) => {
    const { id } = input.params;
    const operations = operationsOf(input);
    const visible = visibleTo(deps, call);
    const change: ReceiptChange = {
      posted: input.body,
      searchOf: searchOfChanged(stores, await findRetailer(call)),
      decide({ receipt, version, store_key }) {
        if (!isVisible({ ...receipt, store_key }, visible)) throw new ServiceError(receiptNotFound);
        checkIfMatch(input.headers['if-match'], version);
        const next = patched(receipt, operations);
        checkNewOwner(receipt, next, call);
        return next;
      },
      tell(next, before) {
        const isAssigned = before.receipt.identifier === null && next.receipt.identifier !== null;
        return eventsOfChange(next, call, now(), updatedEvent, ...(isAssigned ? [assignedEvent] : []));
      },
    };
    const saved = await changeReceipt(deps, id, change, call);
    return { body: Buffer.from(saved.text), meta: { version: saved.version } };
  };
}
