import type { createMapping as contract, PostedMapping } from '@receipts/contracts';
import { concurrentWrite, ServiceError, type Call, type Handler } from '@receipts/kernel';

import { documentOf, metaOf } from '../domain/mapping-state';
import type { Dependencies } from './dependencies';
import { compileOrRefuse } from './run-on-sample';

/**
 * Saves the next version of a mapping, as a draft.
 * @param after the version that it is based on
 * @throws ServiceError 422 if the mapping does not compile, 409 if another version was saved in the meantime
 */
export async function saveVersion(deps: Dependencies, posted: PostedMapping, call: Call, after?: number) {
  await compileOrRefuse(deps, call, posted);
  const kept = await deps.mappings.addVersion(call.retailer, posted, call, deps.now(), after);
  if (!kept) throw new ServiceError(concurrentWrite);
  const { id, version } = kept;
  const document = documentOf({ id, newest: version, active: null, activated: [] }, version, kept.posted);
  return { body: document, meta: metaOf(document) };
}

/** Creates a mapping, or a new version of a mapping. */
export function createMapping(deps: Dependencies): Handler<typeof contract> {
  return ({ body }, call) => saveVersion(deps, body, call);
}
