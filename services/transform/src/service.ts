import { transformContracts } from '@receipts/contracts';
import { type Service, openService, idempotent } from '@receipts/host/open-service';
import { createDependencies, type ServiceDependencies } from './use-cases/create-dependencies';
import { activateMapping } from './use-cases/activate-mapping';
import { convertPacket } from './use-cases/convert-packet';
import { createMapping } from './use-cases/create-mapping';
import { deactivateMapping } from './use-cases/deactivate-mapping';
import { dryRunMapping } from './use-cases/dry-run-mapping';
import { getMapping } from './use-cases/get-mapping';
import { inspectSlip } from './use-cases/inspect-slip';
import { listMappings } from './use-cases/list-mappings';
import { patchMapping } from './use-cases/patch-mapping';
import { dryRunPacket } from './use-cases/dry-run-packet';
import { testMapping } from './use-cases/test-mapping';

/**
 * The maximum number of packets in progress. It is much larger than the number of processes, so that packets of a slow
 * retailer do not block those of others; packets that exceed a retailer's share are postponed.
 */
const packetsInProgressMax = 512;

/** Everything that this service does. */
export async function startService(deps: ServiceDependencies): Promise<Service> {
  const service = await openService({ name: 'transform', ...deps });
  const dependencies = await createDependencies(deps);
  return service.start({
    contracts: transformContracts,
    handlers: {
      convertPacket: convertPacket(dependencies),
      createMapping: idempotent(createMapping(dependencies)),
      listMappings: listMappings(dependencies),
      getMapping: getMapping(dependencies),
      patchMapping: patchMapping(dependencies),
      activateMapping: idempotent(activateMapping(dependencies)),
      deactivateMapping: idempotent(deactivateMapping(dependencies)),
      dryRunMapping: idempotent(dryRunMapping(dependencies)),
      dryRunPacket: idempotent(dryRunPacket(dependencies)),
      inspectSlip: inspectSlip(),
      testMapping: testMapping(dependencies),
    },
    concurrency: packetsInProgressMax,
  });
}
