import { BatchScheduler } from '@receipts/concurrency';
import { type Log } from '@receipts/kernel';
import type { CreatedEventRelay, OutboxRelay } from '@receipts/storage';
import type { NewPacket } from '../domain/new-packet';
import type { Arrived } from '../storage/packet-arrivals';
import { outcomeFields, type PacketDocument, type PacketWithoutBytes } from '../storage/packet-document';
import type { PacketOutcomes, StoredPacket } from '../storage/packet-outcomes';
import type { SequencePosition } from '../storage/write-sequences';
import type { ConversionRequests } from './conversion-requests';
import type { ArrivalConversions } from './convert-arrivals';

const packetsMax = 2_048;
const bytesMax = 32 * 1024 * 1024;
/**
 * No caller waits for the conversion, so a few packets wait for others. Transform, receipt-store and their subscribers
 * then also work in batches.
 */
const batchWindowMs = 25;

interface EventRelays {
  readonly packetArrivals: Pick<CreatedEventRelay<Arrived>, 'enqueue'>;
  readonly packetRelay: Pick<OutboxRelay<PacketDocument>, 'enqueue'>;
}

interface StoredConversionParts extends EventRelays {
  readonly arrivals: ArrivalConversions;
  readonly conversionRequests: ConversionRequests;
  readonly packetOutcomes: PacketOutcomes;
  readonly log: Log;
  readonly now: () => Date;
}

interface Conversion {
  readonly packet: NewPacket;
  readonly stored: StoredPacket;
}

/** Publishes the events of a packet that was just written. */
export function publishWritten(
  { packetArrivals, packetRelay }: EventRelays,
  written: PacketWithoutBytes & SequencePosition,
): void {
  const { outbox = [], ...packet } = written;
  packetArrivals.enqueue([{ sequence: packet.sequence, number: packet.number, packet }]);
  if (outbox.length > 0) packetRelay.enqueue([{ _id: packet._id, items: outbox }]);
}

/**
 * Converts packets that this process has just stored, without reading them again. If transform does not reply in time,
 * or there are too many packets, a message requests the conversion. The sweep handles packets left by a crash or a failed
 * save.
 */
export class StoredConversions {
  private readonly waiting: Conversion[] = [];
  private readonly scheduler = new BatchScheduler<Conversion>({
    waitingCount: () => this.waiting.length,
    take: () => this.waiting.splice(0),
    run: (conversions) => Promise.all(conversions.map((one) => this.convert(one))),
    batchWindowMs,
  });
  private count = 0;
  private bytes = 0;

  constructor(private readonly parts: StoredConversionParts) {}

  /** Converts a packet. Its events are published once its outcome is saved, or when its conversion is requested. */
  add(packet: NewPacket, stored: StoredPacket): void {
    if (this.count >= packetsMax || this.bytes + stored.size > bytesMax) return this.request(stored);
    this.count++;
    this.bytes += stored.size;
    this.waiting.push({ packet, stored });
    this.scheduler.schedule();
  }

  /** Publishes the packet, and requests its conversion with a message. */
  request(stored: StoredPacket): void {
    const { raw: _, ...packet } = stored;
    publishWritten(this.parts, packet);
    this.parts.conversionRequests.add(stored);
  }

  /** Resolves when nothing is in progress. */
  async idle(): Promise<void> {
    await this.scheduler.idle();
    await this.parts.conversionRequests.idle();
  }

  private async convert({ packet, stored }: Conversion): Promise<void> {
    const { arrivals, packetOutcomes, log, now } = this.parts;
    try {
      const outcome = await arrivals.outcomeOf(packet);
      const saved =
        outcome && (await packetOutcomes.save(stored, outcomeFields(stored, outcome, packet.call, now())));
      if (saved) publishWritten(this.parts, saved);
      // If another process changed the packet, it may have saved another outcome; finish-packet resolves the conflict.
      else this.request(stored);
    } catch (error) {
      log.warn('the outcome of a packet could not be saved', { packet: stored._id, error });
    }
    this.count--;
    this.bytes -= stored.size;
  }
}
