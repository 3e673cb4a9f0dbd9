import type { AttachmentLink, PacketMetadata } from '@receipts/contracts';
import type { Call, RequestKey } from '@receipts/kernel';

/** A packet to be stored. */
export interface NewPacket {
  readonly id: string;
  /** The id of its first receipt, if that is not the packet's: the receipt of its link. */
  readonly receiptId?: string | undefined;
  readonly call: Call;
  readonly bytes: Buffer;
  readonly contentType: string | null;
  readonly metadata: PacketMetadata;
  readonly properties: Readonly<Record<string, string>>;
  readonly attachments: readonly AttachmentLink[];
  readonly receivedAt: Date;
  /** Its `Idempotency-Key`. */
  readonly request?: RequestKey | undefined;
}
