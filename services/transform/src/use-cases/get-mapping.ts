import type { getMapping as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { metaOf } from '../domain/mapping-state';
import { findMapping } from './find-mapping';
import type { Parts } from './parts';

/** Returns one version of a mapping. */
export function getMapping(parts: Parts): Handler<typeof contract> {
  return async ({ params, query }, call) => {
    const { document } = await findMapping(parts, call, params.id, query.version);
    return { body: document, meta: metaOf(document) };
  };
}
