import type { Collection } from 'mongodb';
import { databaseTimeout } from '@receipts/storage';
import type { PacketDocument, PacketKeys } from './packet-document';

/** Finds idempotency keys that have expired. */
export class ExpiredKeys {
  constructor(private readonly packets: Collection<PacketDocument>) {}

  /** The packets of all retailers with keys from before a time. */
  packetsBefore(before: Date, count: number): Promise<PacketKeys[]> {
    return this.packets
      .find<PacketKeys>(
        { 'requests.at': { $lt: before } },
        { projection: { retailer: 1, keys: 1, requests: 1 }, limit: count, signal: databaseTimeout() },
      )
      .toArray();
  }
}
