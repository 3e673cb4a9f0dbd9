import { newId, type Call } from '@receipts/kernel';
import { callOf } from '@receipts/testing';
import type { NewPacket } from '../domain/new-packet';

/** A packet that was just posted. */
export function newPacketOf(call: Partial<Call> = {}, changes: Partial<NewPacket> = {}): NewPacket {
  const id = newId();
  return {
    id,
    call: callOf(call.retailer ?? 'acme', { id, ...call }),
    bytes: Buffer.from('x'),
    contentType: null,
    metadata: {},
    properties: {},
    attachments: [],
    receivedAt: new Date(0),
    ...changes,
  };
}
