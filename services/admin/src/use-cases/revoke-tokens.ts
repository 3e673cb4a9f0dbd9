import { clientNotFound, type adminContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { checkNotStronger, heldBy } from '../domain/client';
import { clientEvent } from '../domain/events';
import { revokeAllTokens, revokeToken } from '../domain/token';
import { namedClient, type Clients } from '../storage/clients';
import type { Tokens } from '../storage/tokens';

export function revokeTokens(deps: {
  clients: Clients;
  tokens: Tokens;
  now: () => Date;
}): Handler<(typeof adminContracts)['revokeTokens']> {
  return async ({ params, body }, call) => {
    const held = heldBy(call);
    const { retailer } = call;
    const { jti } = body;
    const signal = deadlineSignal(call);
    const { id } = await namedClient(deps.clients, retailer, 'bearer', params.client_id, signal);
    const token = jti === undefined ? null : await deps.tokens.find(retailer, id, jti, signal);
    const now = deps.now();
    const record = await deps.clients.update(
      retailer,
      id,
      (current) => {
        checkNotStronger(held, current);
        return jti === undefined ? revokeAllTokens(current, now) : revokeToken(current, jti, token, now);
      },
      (next, current) => clientEvent(next, current, call, now),
      { callId: call.id, signal },
    );
    if (!record) throw new ServiceError(clientNotFound);
    return {};
  };
}
