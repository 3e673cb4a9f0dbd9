import { listPage, type listMappings as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { documentOf, newestWith } from '../domain/mapping-state';
import type { Dependencies } from './dependencies';

/** Lists the mappings of a retailer, sorted by id. */
export function listMappings({ mappings }: Dependencies): Handler<typeof contract> {
  return async ({ query }, call) => {
    const { status, count, older } = query;
    const heads = await mappings.listHeads(call.retailer, older, call);
    const wanted = heads.flatMap((head) => {
      const version = newestWith(head, status);
      return version === undefined ? [] : [{ id: head.id, version, head }];
    });
    const { entries, links } = listPage(wanted, count, '/pos/mappings', ({ id }) => id, { status });
    const found = await mappings.findVersions(call.retailer, entries, call);
    const posted = new Map(found.map((version) => [version.id, version.posted]));
    const documents = entries.flatMap(({ id, version, head }) => {
      const document = posted.get(id);
      return document ? [documentOf(head, version, document)] : [];
    });
    return { body: { mappings: documents, _links: links } };
  };
}
