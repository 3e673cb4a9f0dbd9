import type { discardRawData as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { deleteRawData } from './delete-raw-data';
import type { Dependencies } from './dependencies';

/**
 * Deletes the content of the packets of receipts that were deleted or erased. A receipt can exist slightly earlier than
 * its packet, so an unknown packet is not complete.
 */
export function discardRawData(deps: Dependencies): Handler<typeof contract> {
  return async ({ body }, call) => {
    const found = await deps.packets.findMany(body.packets, deadlineSignal(call));
    const packets = [...found.values()].filter(({ retailer }) => retailer === call.retailer);
    const isDeleted = await deleteRawData(deps, { packets, attachments: body.attachments }, call);
    return { body: { is_complete: isDeleted && packets.length === new Set(body.packets).size } };
  };
}
