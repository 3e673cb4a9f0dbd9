import type { AgentFacts, AttachmentLink, PacketMetadata } from '@receipts/contracts';
import type { Call, RequestKey } from '@receipts/kernel';

/** A packet to be stored. */
export interface NewPacket {
  readonly id: string;
  /** The id of the packet's first receipt, if it differs from the packet's id: the receipt of its link. */
  readonly receiptId?: string | undefined;
  readonly call: Call;
  readonly bytes: Buffer;
  readonly contentType: string | null;
  readonly metadata: PacketMetadata;
  readonly properties: Readonly<Record<string, string>>;
  readonly attachments: readonly AttachmentLink[];
  readonly receivedAt: Date;
  /** What the till agent that sent it says about itself. */
  readonly agent?: AgentFacts;
  /** The `Idempotency-Key` of the request. */
  readonly request?: RequestKey | undefined;
}
