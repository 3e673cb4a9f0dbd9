import { allottedLinks } from '@receipts/contracts';
import { idAllotter, type Log } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import type { Database } from '@receipts/storage';
import type { OpenService } from '@receipts/host/open-service';
import { Attachments, attachmentsDeclaration, type AttachmentDocument } from '../storage/attachments';
import { acceptedEventOf, packetsDeclaration, type PacketDocument } from '../storage/packet-document';
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
  return {
    packets: new Packets(packetCollection),
    expiredKeys: new ExpiredKeys(packetCollection),
    packetDeletions: new PacketDeletions(packetCollection),
    keptEvents: service.keptEvents,
    packetInserts: new PacketInserts(packetCollection, (documents) =>
      broker.publish(documents.map((document) => acceptedEventOf(document))),
    ),
    outcomes: new PacketOutcomes(packetCollection),
    waitingPackets: new WaitingPackets(packetCollection),
    failed: new FailedPackets(packetCollection),
    tillAgents: new TillAgents(await database.collection(tillAgentsDeclaration), log),
    publishedPackets: new PublishedPackets(packetCollection, nowMs),
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
