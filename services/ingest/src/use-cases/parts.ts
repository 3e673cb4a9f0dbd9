import type { Broker } from '@receipts/messaging';
import type { Log, Relay } from '@receipts/storage';
import type { IdAllotter } from '@receipts/kernel';
import type { AttachmentDocument, Attachments } from '../storage/attachments';
import type { PacketDocument, Packets } from '../storage/packets';

/** What the use cases work with. */
export interface Parts {
  readonly packets: Packets;
  readonly packetRelay: Relay<PacketDocument, string>;
  readonly attachments: Attachments;
  readonly attachmentRelay: Relay<AttachmentDocument, string>;
  readonly broker: Pick<Broker, 'ask' | 'sendRaw' | 'depth'>;
  readonly allotter: IdAllotter;
  readonly log: Log;
  readonly now: () => Date;
  readonly sendAgainAfterMs: number;
}
