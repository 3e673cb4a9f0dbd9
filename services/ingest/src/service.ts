import type { Collection } from 'mongodb';
import { ingestContracts } from '@receipts/contracts';
import { idAllotter, type Contract, type Handler, type Handlers } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import {
  createRelay,
  guardHandlers,
  idempotencyCollection,
  idempotent,
  lease,
  leaseCollection,
  type IdempotencyRecord,
  type LeaseDocument,
  type MarkDocument,
  type Log,
  type Store,
} from '@receipts/storage';
import { forTheRetailer } from './domain/for-the-retailer';
import { Attachments, attachmentsDeclaration, type AttachmentDocument } from './storage/attachments';
import { Lanes } from './storage/lanes';
import { PacketArrivals } from './storage/packet-arrivals';
import { packetsDeclaration, type PacketDocument } from './storage/packet-document';
import { Packets } from './storage/packets';
import { acceptPacket } from './use-cases/accept-packet';
import { conversionOrders } from './use-cases/conversion-orders';
import { convertArrivals } from './use-cases/convert-arrivals';
import { createAttachment } from './use-cases/create-attachment';
import { describeAttachments } from './use-cases/describe-attachments';
import { findPacketState } from './use-cases/find-packet-state';
import { finishPacket } from './use-cases/finish-packet';
import { getAttachment } from './use-cases/get-attachment';
import { getPacket } from './use-cases/get-packet';
import { getPacketRaw } from './use-cases/get-packet-raw';
import { keepAttachments } from './use-cases/keep-attachments';
import { listPackets } from './use-cases/list-packets';
import type { Parts } from './use-cases/parts';
import { postPosData } from './use-cases/post-pos-data';
import { reprocessPacket } from './use-cases/reprocess-packet';
import { reprocessPackets } from './use-cases/reprocess-packets';
import { sweepWaitingPackets } from './use-cases/sweep-waiting-packets';

export interface ServiceDependencies {
  readonly broker: Broker;
  readonly store: Store;
  readonly log: Log;
  readonly idSecret: string;
  /** Stands before the paths in addresses of attachments. */
  readonly basePath: string;
  readonly sendAgainAfterMs: number;
  readonly now?: () => Date;
}

export interface Service {
  /** Takes no more work, ends what is begun, sends what follows from it, and stops sweeping. */
  stop(): Promise<void>;
}

const leaseMs = 15_000;
const sweepEveryMs = 2_000;
const consumerGraceMs = 6_000;
/** A backlog of packets waits with the broker, which is made for it: so many are converted and written down at a time. */
const packetsInHandMax = 512;

async function openParts(
  deps: ServiceDependencies,
  leases: Collection<LeaseDocument>,
): Promise<Parts & { readonly packetArrivals: PacketArrivals['relay'] }> {
  const { store, broker, log, now = () => new Date() } = deps;
  const packetCollection = await store.collection<PacketDocument>(packetsDeclaration);
  const attachmentCollection = await store.collection<AttachmentDocument>(attachmentsDeclaration);
  const outgoing = {
    publish: (events: Parameters<Broker['publish']>[0]) => broker.publish(events),
    log,
    metrics: store.metrics,
  };
  const arrivals = new PacketArrivals({
    collection: packetCollection,
    marks: await store.collection<MarkDocument>({ name: 'packet_marks', indexes: [] }),
    relay: { ...outgoing, lease: lease(leases, 'sweep arrivals of packets', leaseMs) },
    nowMs: () => now().getTime(),
  });
  const lanes = new Lanes(
    (lane) => arrivals.open(lane),
    () => now().getTime(),
  );
  return {
    packets: new Packets(packetCollection, lanes, (places) => arrivals.relay.nudge(places)),
    packetArrivals: arrivals.relay,
    packetRelay: createRelay({
      ...outgoing,
      collection: packetCollection,
      // Orders that an earlier version left here: the sweep of waiting packets gives them.
      custom: () => Promise.resolve(),
      lease: lease(leases, 'sweep outbox of packets', leaseMs),
    }),
    attachments: new Attachments(attachmentCollection, deps.basePath),
    attachmentRelay: createRelay({
      ...outgoing,
      collection: attachmentCollection,
      lease: lease(leases, 'sweep outbox of attachments', leaseMs),
    }),
    arrivals: convertArrivals({ broker, now }),
    orders: conversionOrders({ broker, now, log }),
    broker,
    allotter: idAllotter(deps.idSecret),
    idSecret: deps.idSecret,
    log,
    now,
    sendAgainAfterMs: deps.sendAgainAfterMs,
  };
}

/** Everything that this service does. */
export async function startIngestService(deps: ServiceDependencies): Promise<Service> {
  const { broker, store, log } = deps;
  const keys = await store.collection<IdempotencyRecord>(idempotencyCollection);
  const leases = await store.collection<LeaseDocument>(leaseCollection);
  const parts = await openParts(deps, leases);

  const once = <C extends Contract>(contract: C, handler: Handler<C>): Handler<C> =>
    idempotent(keys, contract, handler, { log, ...(deps.now && { now: () => parts.now().getTime() }) });
  const handlers: Handlers<typeof ingestContracts> = {
    acceptPacket: acceptPacket(parts),
    postPosData: postPosData(parts),
    finishPacket: finishPacket(parts),
    findPacketState: findPacketState(parts),
    describeAttachments: describeAttachments(parts),
    keepAttachments: keepAttachments(parts),
    createAttachment: createAttachment(parts),
    getAttachment: getAttachment(parts),
    listPackets: forTheRetailer(listPackets(parts)),
    getPacket: forTheRetailer(getPacket(parts)),
    getPacketRaw: forTheRetailer(getPacketRaw(parts)),
    reprocessPacket: once(ingestContracts.reprocessPacket, forTheRetailer(reprocessPacket(parts))),
    reprocessPackets: once(ingestContracts.reprocessPackets, forTheRetailer(reprocessPackets(parts))),
  };
  const consumer = await broker.serve({
    owner: 'ingest',
    contracts: ingestContracts,
    handlers: guardHandlers(handlers),
    concurrency: { acceptPacket: packetsInHandMax },
  });

  const sweepLease = lease(leases, 'sweep waiting packets', leaseMs);
  let sweeping: Promise<unknown> | undefined;
  const sweep = async () => {
    try {
      const count = await sweepWaitingPackets(parts, sweepLease);
      if (count > 0) log.info('gave packets to conversion again', { count });
    } catch (error) {
      log.error('could not sweep waiting packets', { error: (error as Error).message });
    }
  };
  const timer = setInterval(() => {
    sweeping ??= sweep().finally(() => (sweeping = undefined));
  }, sweepEveryMs).unref();

  return {
    async stop() {
      clearInterval(timer);
      await consumer.close(consumerGraceMs);
      await sweeping;
      await parts.orders.idle();
      await sweepLease.release();
      await Promise.all([
        parts.packetArrivals.stop(),
        parts.packetRelay.stop(),
        parts.attachmentRelay.stop(),
      ]);
    },
  };
}
