import { allottedLinks } from '@receipts/contracts';
import { idAllotter, type Log } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import type { WatermarkDocument, Database } from '@receipts/storage';
import type { OpenService } from '@receipts/host/open-service';
import { Attachments, attachmentsDeclaration, type AttachmentDocument } from '../storage/attachments';
import { WriteSequences, type SequencePosition } from '../storage/write-sequences';
import { PacketArrivals } from '../storage/packet-arrivals';
import { packetsDeclaration, type PacketDocument, type PacketWithoutBytes } from '../storage/packet-document';
import { FailedPackets } from '../storage/failed-packets';
import { ExpiredKeys } from '../storage/expired-keys';
import { PacketDeletions } from '../storage/packet-deletions';
import { PacketInserts } from '../storage/packet-inserts';
import { PacketOutcomes } from '../storage/packet-outcomes';
import { Packets } from '../storage/packets';
import { PublishedPackets } from '../storage/published-packets';
import { WaitingPackets } from '../storage/waiting-packets';
import { ConversionRequests } from './conversion-requests';
import { convertArrivals } from './convert-arrivals';
import { StoredConversions } from './stored-conversions';

export interface ServiceDependencies {
  readonly broker: Broker;
  readonly database: Database;
  readonly log: Log;
  readonly idSecret: string;
  /** The path prefix of attachment URLs. */
  readonly basePath: string;
  readonly conversionRetryMs: number;
  readonly now?: () => Date;
}

export async function createDependencies(service: OpenService, deps: ServiceDependencies) {
  const { database, broker, log, idSecret, conversionRetryMs, now = () => new Date() } = deps;
  const nowMs = () => now().getTime();
  const packetCollection = await database.collection<PacketDocument>(packetsDeclaration);
  const attachmentCollection = await database.collection<AttachmentDocument>(attachmentsDeclaration);
  const arrivals = new PacketArrivals({
    collection: packetCollection,
    watermarks: await database.collection<WatermarkDocument>({ name: 'packet_watermarks', indexes: [] }),
    relay: service.relaying('sweep arrivals of packets'),
    nowMs,
  });
  const sequences = new WriteSequences((sequence) => arrivals.open(sequence), nowMs);
  const unused = (positions: readonly SequencePosition[]) => arrivals.relay.enqueue(positions);
  const parts = {
    packets: new Packets(packetCollection),
    expiredKeys: new ExpiredKeys(packetCollection, attachmentCollection),
    packetDeletions: new PacketDeletions(packetCollection),
    publishedEvents: service.publishedEvents,
    packetInserts: new PacketInserts(packetCollection, sequences, unused),
    packetOutcomes: new PacketOutcomes(packetCollection, sequences, unused),
    waitingPackets: new WaitingPackets(packetCollection),
    failed: new FailedPackets(packetCollection),
    publishedPackets: new PublishedPackets(packetCollection, nowMs),
    packetArrivals: service.onShutdown(arrivals.relay),
    unpublishedArrivals: (packets: readonly PacketWithoutBytes[]) => arrivals.aboveWatermarks(packets),
    unpublished: (packets: readonly PacketWithoutBytes[]) => arrivals.unpublished(packets),
    packetRelay: service.relay<PacketDocument>('sweep outbox of packets', { collection: packetCollection }),
    attachments: new Attachments(attachmentCollection, deps.basePath),
    attachmentRelay: service.relay('sweep outbox of attachments', { collection: attachmentCollection }),
    arrivals: convertArrivals({ broker, now }),
    conversionRequests: new ConversionRequests({ broker, now, log }),
    allotter: idAllotter(idSecret),
    links: allottedLinks(idSecret),
    ...{ broker, idSecret, log, now, conversionRetryMs },
  };
  return { ...parts, storedConversions: new StoredConversions(parts) };
}
