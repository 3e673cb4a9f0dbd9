import { mappingNotFound, samplesFailed, type activateMapping as contract } from '@receipts/contracts';
import { faultsMax, ServiceError, type Handler } from '@receipts/kernel';
import { documentOf, metaOf } from '../domain/mapping-state';
import { findMapping } from './find-mapping';
import type { Dependencies } from './dependencies';
import { compileOrRefuse } from './run-on-sample';
import { sampleFaults } from './test-mapping';

/** Activates a version if its samples produce the expected receipts. */
export function activateMapping(deps: Dependencies): Handler<typeof contract> {
  return async ({ params, body }, call) => {
    const { document } = await findMapping(deps, call, params.id, body?.version);
    await compileOrRefuse(deps, call, document);
    const faults = (await sampleFaults(deps, call, document)).flat();
    if (faults.length > 0) throw new ServiceError(samplesFailed, { errors: faults.slice(0, faultsMax) });
    const { mappings, activeMappings, now } = deps;
    const head = await mappings.setActive(call.retailer, document.id, document.version, call, now());
    if (!head) throw new ServiceError(mappingNotFound);
    activeMappings.forget(call.retailer);
    const active = documentOf(head, document.version, document);
    return { body: active, meta: metaOf(active) };
  };
}
