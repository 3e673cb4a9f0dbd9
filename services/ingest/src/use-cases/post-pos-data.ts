import {
  decodeBase64,
  postPosData as contract,
  readExternalId,
  type PacketMetadata,
} from '@receipts/contracts';
import { fingerprint, requestKeyOf } from '@receipts/storage';
import { schemaValidationFailed, ServiceError, type Call, type Handler, type Input } from '@receipts/kernel';
import type { NewPacket } from '../domain/new-packet';
import { storeAll } from './store-attachments';
import type { Dependencies } from './dependencies';
import { findRepetition, storePacket, type StoreOutcome } from './store-packet';

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

function packetOf(deps: Dependencies, input: Input<typeof contract>, call: Call): NewPacket {
  const bytes = decodeBase64(input.body.receipt);
  if (!bytes) throw new ServiceError(schemaValidationFailed);
  const receivedAt = deps.now();
  return {
    id: deps.allotter.allot(call.retailer, receivedAt.getTime()),
    call,
    bytes,
    contentType: null,
    metadata: metadataOf(input),
    properties: {},
    attachments: [],
    receivedAt,
    request: requestKeyOf(contract, input, call, receivedAt),
  };
}

/** Stores an entry of a till's journal; posting the same entry again returns the same packet. */
export function postPosData(deps: Dependencies): Handler<typeof contract> {
  return async (input, call) => {
    const packet = packetOf(deps, input, call);
    const { attachments = {} } = input.body;
    if (Object.keys(attachments).length === 0) return answerTo(await storePacket(deps, packet));
    const repetition = await findRepetition(deps, packet);
    if (repetition) return answerTo(repetition);
    // A retry finds the attachments that were stored before, even if the packet was not stored.
    const owner = JSON.stringify([call.retailer, fingerprint(input, true)]);
    const views = await storeAll(deps, call, owner, attachments);
    const links = Object.entries(views).map(([label, view]) => ({ id: view.id, label }));
    return answerTo(await storePacket(deps, { ...packet, attachments: links }));
  };
}

const answerTo = ({ replayed }: StoreOutcome) => (replayed ? { replayed } : {});
