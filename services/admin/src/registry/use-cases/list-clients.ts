import { clientNotFound, unknownCursorIn, listPage, pageCountDefault } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { clientOf, isAuthentication } from '../domain/client';

export function listClients(deps: Registry): HandlerOf<'listClients'> {
  return async ({ params, query }, call) => {
    const { authentication } = params;
    if (!isAuthentication(authentication)) throw new ServiceError(clientNotFound);
    const { count = pageCountDefault, older } = query;
    const signal = deadlineSignal(call);
    if (older !== undefined && !(await deps.clients.find(call.retailer, authentication, older, signal))) {
      throw unknownCursorIn('older');
    }
    const where = { retailer: call.retailer, authentication };
    const found = await deps.clients.newest(where, older, count + 1, signal);
    const { entries, links } = listPage(found, count, `/clients/${authentication}`, ({ id }) => String(id));
    return { body: { clients: entries.map(clientOf), _links: links } };
  };
}
