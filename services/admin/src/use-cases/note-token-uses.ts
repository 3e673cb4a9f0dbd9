import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { Tokens } from '../storage/tokens';

export function noteTokenUses(deps: { tokens: Tokens }): Handler<(typeof adminContracts)['noteTokenUses']> {
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
