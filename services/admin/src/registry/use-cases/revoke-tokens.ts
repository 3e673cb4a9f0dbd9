import { clientNotFound } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { checkNotStronger } from '../domain/client';
import { clientEvent } from '../domain/events';
import { grantsOf } from '../domain/grants';
import { revokeAllTokens, revokeToken } from '../domain/token';
import { idOf } from '../storage/aggregates';
import { namedClient } from '../storage/clients';

export function revokeTokens(deps: Registry): HandlerOf<'revokeTokens'> {
  return async ({ params, body }, call) => {
    const grants = grantsOf(call);
    const { retailer } = call;
    const { jti } = body;
    const signal = deadlineSignal(call);
    const { id } = await namedClient(deps.clients, retailer, 'bearer', params.client_id, signal);
    const token = jti === undefined ? null : await deps.tokens.find(retailer, id, jti, signal);
    const now = deps.now();
    const record = await deps.clients.change(
      retailer,
      idOf(retailer, id),
      (current) => {
        checkNotStronger(grants, current);
        return jti === undefined ? revokeAllTokens(current, now) : revokeToken(current, jti, token, now);
      },
      (next, current) => clientEvent(next, current, call, now),
      { callId: call.id, signal },
    );
    if (!record) throw new ServiceError(clientNotFound);
    return {};
  };
}
