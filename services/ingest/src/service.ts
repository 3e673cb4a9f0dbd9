import { ingestContracts } from '@receipts/contracts';
import { publishedEventHandlers } from '@receipts/storage';
import { type Service, openService, idempotent } from '@receipts/host/open-service';
import { createDependencies, type ServiceDependencies } from './use-cases/create-dependencies';
import { acceptPacket } from './use-cases/accept-packet';
import { createAttachment } from './use-cases/create-attachment';
import { discardRawData } from './use-cases/discard-raw-data';
import { keyExpiry } from './use-cases/expire-keys';
import { describeAttachments } from './use-cases/describe-attachments';
import { findPacketState } from './use-cases/find-packet-state';
import { findRawData } from './use-cases/find-raw-data';
import { findTillContacts } from './use-cases/find-till-contacts';
import { finishPacket } from './use-cases/finish-packet';
import { getAttachment } from './use-cases/get-attachment';
import { getPacket } from './use-cases/get-packet';
import { getPacketRaw } from './use-cases/get-packet-raw';
import { storeAttachments } from './use-cases/store-attachments';
import { listFailedPackets } from './use-cases/list-failed-packets';
import { listPackets } from './use-cases/list-packets';
import { postPosData } from './use-cases/post-pos-data';
import { previewPackets } from './use-cases/preview-packets';
import { reprocessPacket } from './use-cases/reprocess-packet';
import { reprocessPackets } from './use-cases/reprocess-packets';
import { packetSweeper } from './use-cases/packet-sweeper';

/** Short, so that packets do not wait for a process that crashed while holding the lease. */
const sweepLeaseMs = 5_000;
/** The maximum number of packets that are being stored or sent to transform. The others stay in the broker's queue. */
const packetsInProgressMax = 512;

/** Everything that this service does. */
export async function startService(deps: ServiceDependencies): Promise<Service> {
  const { now } = deps;
  const service = await openService({
    ...deps,
    name: 'ingest',
    idempotencyClock: now && (() => now().getTime()),
  });
  const dependencies = await createDependencies(service, deps);
  const sweeping = packetSweeper(dependencies, service.lease('sweep waiting packets', sweepLeaseMs));
  return service.start({
    contracts: ingestContracts,
    handlers: {
      acceptPacket: acceptPacket(dependencies),
      postPosData: postPosData(dependencies),
      finishPacket: finishPacket(dependencies),
      findPacketState: findPacketState(dependencies),
      findTillContacts: findTillContacts(dependencies),
      describeAttachments: describeAttachments(dependencies),
      storeAttachments: storeAttachments(dependencies),
      createAttachment: idempotent(createAttachment(dependencies)),
      getAttachment: getAttachment(dependencies),
      listPackets: listPackets(dependencies),
      listFailedPackets: listFailedPackets(dependencies),
      getPacket: getPacket(dependencies),
      getPacketRaw: getPacketRaw(dependencies),
      previewPackets: previewPackets(dependencies),
      reprocessPacket: idempotent(reprocessPacket(dependencies)),
      reprocessPackets: idempotent(reprocessPackets(dependencies)),
      findRawData: findRawData(dependencies),
      discardRawData: discardRawData(dependencies),
      ...publishedEventHandlers([service.keptEvents, dependencies.publishedPackets]),
    },
    concurrency: { acceptPacket: packetsInProgressMax },
    background: [sweeping, keyExpiry(dependencies)],
    outlivesConsumers: [dependencies.tillAgents],
  });
}
