import { mappingNotFound, type MappingDocument } from '@receipts/contracts';
import { ServiceError, type Call } from '@receipts/kernel';
import { documentOf, type MappingHead } from '../domain/mapping-state';
import type { Dependencies } from './dependencies';

/**
 * A version of a mapping, by default the newest.
 * @throws ServiceError 404
 */
export async function findMapping(
  { mappings }: Pick<Dependencies, 'mappings'>,
  call: Call,
  id: string,
  version?: number,
): Promise<{ head: MappingHead; document: MappingDocument }> {
  const head = await mappings.findHead(call.retailer, id, call);
  if (!head) throw new ServiceError(mappingNotFound);
  const wanted = version ?? head.newest;
  const posted = await mappings.findVersion(call.retailer, id, wanted, call);
  if (!posted) throw new ServiceError(mappingNotFound);
  return { head, document: documentOf(head, wanted, posted) };
}
