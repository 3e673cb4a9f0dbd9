import { unknownCursorIn, type adminContracts, listPage, pageCountDefault } from '@receipts/contracts';
import { type Handler, timestampOf } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { checkAdministers } from '../domain/client';
import { isRevoked } from '../domain/token';
import { namedClient, type Clients } from '../storage/clients';
import type { Tokens } from '../storage/tokens';

export function listTokens(deps: {
  clients: Clients;
  tokens: Tokens;
}): Handler<(typeof adminContracts)['listTokens']> {
  return async ({ params, query }, call) => {
    checkAdministers(call);
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
