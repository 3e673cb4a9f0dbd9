import type { getMapping as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { metaOf } from '../domain/mapping-state';
import { findMapping } from './find-mapping';
import type { Dependencies } from './dependencies';

/** Returns one version of a mapping. */
export function getMapping(deps: Dependencies): Handler<typeof contract> {
  return async ({ params, query }, call) => {
    const { document } = await findMapping(deps, call, params.id, query.version);
    return { body: document, meta: metaOf(document) };
  };
}
