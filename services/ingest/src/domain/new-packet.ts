import type { AttachmentLink, PacketMetadata } from '@receipts/contracts';
import type { Call, RequestKey } from '@receipts/kernel';

/** A packet to be stored. */
export interface NewPacket {
  readonly id: string;
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
