import { deadlineSignal } from '@receipts/storage';
import type { Endpoint, Registry } from '../open-registry';

export function recordTokenUses(deps: Registry): Endpoint<'recordTokenUses'> {
  return async ({ body }, call) => {
    const uses = body.uses.map(({ retailer, client_id: client, jti, at }) => ({
      retailer,
      client,
      jti,
      at: new Date(at),
    }));
    await deps.tokens.recordTokenUses(uses, deadlineSignal(call));
    return {};
  };
}
