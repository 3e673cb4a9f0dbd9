import type { previewPackets as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { previewOf } from '../domain/preview-of';
import type { Dependencies } from './dependencies';

/** The beginnings of packets as text, in the order of their ids. */
export function previewPackets({ packets }: Dependencies): Handler<typeof contract> {
  return async ({ body: { ids } }, call) => {
    const found = await Promise.all(ids.map((id) => packets.findBytes(call.retailer, id, call)));
    return { body: { previews: found.map((bytes) => (Buffer.isBuffer(bytes) ? previewOf(bytes) : null)) } };
  };
}
