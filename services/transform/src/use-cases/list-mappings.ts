import type { listMappings as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { documentOf, newestWith } from '../domain/mapping-state';
import type { Parts } from './parts';

/** Lists the mappings of a retailer, by id. */
export function listMappings({ mappings }: Parts): Handler<typeof contract> {
  return async ({ query }, call) => {
    const { status, count, older } = query;
    const heads = await mappings.listHeads(call.retailer, older, call);
    const wanted = heads.flatMap((head) => {
      const version = newestWith(head, status);
      return version === undefined ? [] : [{ id: head.id, version, head }];
    });
    const page = wanted.slice(0, count);
    const found = await mappings.findVersions(call.retailer, page, call);
    const posted = new Map(found.map((version) => [version.id, version.posted]));
    const documents = page.flatMap(({ id, version, head }) => {
      const document = posted.get(id);
      return document ? [documentOf(head, version, document)] : [];
    });
    const last = page.at(-1);
    const filter = status === undefined ? '' : `status=${status}&`;
    const href = `/pos/mappings?${filter}count=${count}&older=${encodeURIComponent(last?.id ?? '')}`;
    return { body: { mappings: documents, _links: wanted.length > count ? { next: { href } } : {} } };
  };
}
