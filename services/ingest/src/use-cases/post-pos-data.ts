import {
  decodeBase64,
  type postPosData as contract,
  readExternalId,
  type PacketMetadata,
} from '@receipts/contracts';
import { schemaValidationFailed, ServiceError, type Handler, type Input } from '@receipts/kernel';
import type { NewPacket } from '../domain/new-packet';
import { keepAll } from './keep-attachments';
import type { Parts } from './parts';
import { storePacket } from './store-packet';

function metadataOf({ body }: Input<typeof contract>): PacketMetadata {
  const externalId = body.external_id === undefined ? undefined : readExternalId(body.external_id);
  return {
    source_id: body.source_id,
    source_read: body.source_read,
    entry_id: body.entry_id,
    store_reference: String(body.store_reference),
    till_id: body.till_id,
    till_uuid: body.till_uuid,
    ...(body.duplicate === true && { duplicate: true }),
    ...(externalId !== undefined && { external_id: externalId }),
  };
}

/** Keeps an entry of a till's journal; the same entry again is the same packet. */
export function postPosData(parts: Parts): Handler<typeof contract> {
  return async (input, call) => {
    const bytes = decodeBase64(input.body.receipt);
    if (!bytes) throw new ServiceError(schemaValidationFailed);
    const id = parts.allotter.isAllotted(call.id, call.retailer)
      ? call.id
      : parts.allotter.allot(call.retailer, parts.now().getTime());
    const views = await keepAll(parts, call, id, input.body.attachments ?? {});
    const attachments = Object.entries(views).map(([label, view]) => ({ id: view.id, label }));
    const packet: NewPacket = {
      id,
      call,
      bytes,
      contentType: null,
      metadata: metadataOf(input),
      properties: {},
      attachments,
      receivedAt: parts.now(),
    };
    await storePacket(parts, packet);
    return {};
  };
}
