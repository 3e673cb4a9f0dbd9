import { allottedLinks } from '@receipts/contracts';
import { idAllotter, type Log } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import type { WatermarkDocument, Database } from '@receipts/storage';
import type { OpenService } from '@receipts/host/open-service';
import { Attachments, attachmentsDeclaration, type AttachmentDocument } from '../storage/attachments';
import { WriteSequences, type PacketNumber } from '../storage/write-sequences';
import { PacketEvents } from '../storage/packet-events';
import { packetsDeclaration, type PacketDocument } from '../storage/packet-document';
import { FailedPackets } from '../storage/failed-packets';
import { ExpiredKeys } from '../storage/expired-keys';
import { PacketDeletions } from '../storage/packet-deletions';
import { PacketInserts } from '../storage/packet-inserts';
import { PacketOutcomes } from '../storage/packet-outcomes';
import { Packets } from '../storage/packets';
import { PublishedPackets } from '../storage/published-packets';
import { TillAgents, tillAgentsDeclaration } from '../storage/till-agents';
import { WaitingPackets } from '../storage/waiting-packets';

export interface ServiceDependencies {
  readonly broker: Broker;
  readonly database: Database;
  readonly log: Log;
  readonly idSecret: string;
  /** The path prefix of attachment URLs. */
  readonly basePath: string;
  readonly conversionRetryMs: number;
  /** Counts the outcomes of packets: `converted`, or the reason for the failure. */
  readonly countOutcome?: (outcome: string) => void;
  readonly now?: () => Date;
}

export async function createDependencies(service: OpenService, deps: ServiceDependencies) {
  const { database, broker, log, idSecret, conversionRetryMs, now = () => new Date() } = deps;
  const { countOutcome = () => undefined } = deps;
  const nowMs = () => now().getTime();
  const packetCollection = await database.collection<PacketDocument>(packetsDeclaration);
  const attachmentCollection = await database.collection<AttachmentDocument>(attachmentsDeclaration);
  const eventsOf = async (of: 'arrivals' | 'conversions', watermarks: string, after?: PacketEvents) => {
    const events = new PacketEvents({
      of,
      collection: packetCollection,
      nowMs,
      ...(after && { after }),
      watermarks: await database.collection<WatermarkDocument>({ name: watermarks, indexes: [] }),
      relay: service.relaying(`sweep ${of} of packets`),
    });
    const sequences = new WriteSequences((sequence) => events.open(sequence), nowMs);
    const unused = (positions: readonly PacketNumber[]) => events.relay.enqueue(positions);
    service.addRelay(events.relay);
    return { events, sequences, unused };
  };
  const arrivals = await eventsOf('arrivals', 'packet_watermarks');
  const conversions = await eventsOf('conversions', 'conversion_watermarks', arrivals.events);
  return {
    packets: new Packets(packetCollection),
    expiredKeys: new ExpiredKeys(packetCollection, attachmentCollection),
    packetDeletions: new PacketDeletions(packetCollection),
    publishedEvents: service.publishedEvents,
    packetInserts: new PacketInserts(packetCollection, arrivals.sequences, arrivals.unused),
    outcomes: new PacketOutcomes(packetCollection, conversions.sequences, conversions.unused),
    waitingPackets: new WaitingPackets(packetCollection),
    failed: new FailedPackets(packetCollection),
    tillAgents: new TillAgents(await database.collection(tillAgentsDeclaration), log),
    publishedPackets: new PublishedPackets(packetCollection, nowMs),
    arrivals: arrivals.events,
    conversions: conversions.events,
    packetRelay: service.relay<PacketDocument>('sweep outbox of packets', { collection: packetCollection }),
    attachments: new Attachments(attachmentCollection, deps.basePath),
    attachmentRelay: service.relay('sweep outbox of attachments', { collection: attachmentCollection }),
    allotter: idAllotter(idSecret),
    links: allottedLinks(idSecret),
    broker,
    idSecret,
    log,
    now,
    conversionRetryMs,
    countOutcome,
  };
}
