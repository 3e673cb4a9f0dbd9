import { mappingNotFound, type deactivateMapping as contract } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { documentOf, metaOf } from '../domain/mapping-state';
import { findMapping } from './find-mapping';
import type { Dependencies } from './dependencies';

/** Deactivates a mapping. */
export function deactivateMapping(deps: Dependencies): Handler<typeof contract> {
  return async ({ params }, call) => {
    const { mappings, activeMappings, now } = deps;
    const before = await mappings.findHead(call.retailer, params.id, call);
    const { document } = await findMapping(deps, call, params.id, before?.active ?? undefined);
    const head = await mappings.setActive(call.retailer, params.id, null, call, now());
    if (!head) throw new ServiceError(mappingNotFound);
    activeMappings.forget(call.retailer);
    const inactive = documentOf(head, document.version, document);
    return { body: inactive, meta: metaOf(inactive) };
  };
}
