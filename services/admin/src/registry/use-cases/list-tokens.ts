import { unknownCursorIn, listPage, pageCountDefault } from '@receipts/contracts';
import { timestampOf } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { isRevoked } from '../domain/token';
import { namedClient } from '../storage/clients';

export function listTokens(deps: Registry): HandlerOf<'listTokens'> {
  return async ({ params, query }, call) => {
    const { count = pageCountDefault, older } = query;
    const { retailer } = call;
    const signal = deadlineSignal(call);
    const client = await namedClient(deps.clients, retailer, 'bearer', params.client_id, signal);
    const cursor = older === undefined ? null : await deps.tokens.find(retailer, client.id, older, signal);
    if (older !== undefined && !cursor) throw unknownCursorIn('older');
    const found = await deps.tokens.page(retailer, client.id, cursor?.number, count + 1, signal);
    const path = `/clients/bearer/${client.id}/tokens`;
    const { entries, links } = listPage(found, count, path, ({ jti }) => jti);
    const tokens = entries.map((token) => ({
      jti: token.jti,
      issued: timestampOf(token.issued),
      expires: token.expires && timestampOf(token.expires),
      revoked: isRevoked(client, token),
      last_used: token.lastUsed && timestampOf(token.lastUsed),
    }));
    return { body: { tokens, _links: links } };
  };
}
