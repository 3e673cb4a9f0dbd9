import type { Broker } from '@receipts/messaging';
import type { CreatedEventRelay, OutboxRelay } from '@receipts/storage';
import type { AllottedLinks } from '@receipts/contracts';
import type { IdAllotter, Log } from '@receipts/kernel';
import type { AttachmentDocument, Attachments } from '../storage/attachments';
import type { Arrived, PacketArrivals } from '../storage/packet-arrivals';
import type { FailedPackets } from '../storage/failed-packets';
import type { PacketDocument } from '../storage/packet-document';
import type { PacketInserts } from '../storage/packet-inserts';
import type { PacketOutcomes } from '../storage/packet-outcomes';
import type { Packets } from '../storage/packets';
import type { PublishedPackets } from '../storage/published-packets';
import type { WaitingPackets } from '../storage/waiting-packets';
import type { ConversionRequests } from './conversion-requests';
import type { StoredConversions } from './stored-conversions';
import type { ArrivalConversions } from './convert-arrivals';

/** The dependencies of the use cases. */
export interface Parts {
  readonly packets: Packets;
  readonly packetInserts: PacketInserts;
  readonly packetOutcomes: PacketOutcomes;
  readonly waitingPackets: WaitingPackets;
  readonly failed: FailedPackets;
  /** Publishes the events of arrived packets. */
  readonly packetArrivals: Pick<CreatedEventRelay<Arrived>, 'enqueue'>;
  readonly unpublished: PacketArrivals['unpublished'];
  /** Publishes the events of arrived packets again. */
  readonly publishedPackets: PublishedPackets;
  /** Publishes the events of later outcomes. */
  readonly packetRelay: OutboxRelay<PacketDocument>;
  readonly attachments: Attachments;
  readonly attachmentRelay: OutboxRelay<AttachmentDocument>;
  readonly arrivals: ArrivalConversions;
  readonly conversionRequests: ConversionRequests;
  readonly storedConversions: StoredConversions;
  readonly broker: Pick<Broker, 'ask' | 'sendRaw' | 'depth'>;
  readonly allotter: IdAllotter;
  readonly links: Pick<AllottedLinks, 'open'>;
  readonly idSecret: string;
  readonly log: Log;
  readonly now: () => Date;
  readonly conversionRetryMs: number;
}
