import type { Collection } from 'mongodb';
import { databaseTimeout } from '@receipts/storage';
import type { AttachmentDocument } from './attachments';
import type { PacketDocument, PacketKeys } from './packet-document';

/** Finds and removes idempotency keys that have expired. */
export class ExpiredKeys {
  constructor(
    private readonly packets: Collection<PacketDocument>,
    private readonly attachments: Collection<AttachmentDocument>,
  ) {}

  /** The packets of all retailers with keys from before a time. */
  packetsBefore(before: Date, count: number): Promise<PacketKeys[]> {
    return this.packets
      .find<PacketKeys>(
        { 'requests.at': { $lt: before } },
        { projection: { retailer: 1, keys: 1, requests: 1 }, limit: count, signal: databaseTimeout() },
      )
      .toArray();
  }

  /** An attachment has one key at most. */
  async releaseAttachments(before: Date): Promise<void> {
    await this.attachments.updateMany(
      { 'request.at': { $lt: before } },
      { $unset: { request: '' } },
      { signal: databaseTimeout() },
    );
  }
}
