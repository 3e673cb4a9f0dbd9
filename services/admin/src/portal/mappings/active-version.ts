import { transformContracts, type MappingDocument } from '@receipts/contracts';
import { parameterOf } from '../../pages/older-link';
import type { Portal } from '../open-portal';
import type { SignedIn } from '../signed-in';

/** The active version of a mapping; undefined if no version is active. */
export async function activeVersion(
  { ask }: Pick<Portal, 'ask'>,
  { call }: Pick<SignedIn, 'call'>,
  id: string,
): Promise<MappingDocument | undefined> {
  let older: string | undefined;
  do {
    const query = { status: 'active', count: 100, ...(older && { older }) } as const;
    const { mappings, _links } = (await ask(transformContracts.listMappings, { query }, call)).body;
    const found = mappings.find((mapping) => mapping.id === id);
    if (found) return found;
    older = parameterOf(_links.next, 'older');
  } while (older !== undefined);
  return undefined;
}
