import { clientIsRevoked, type adminContracts } from '@receipts/contracts';
import { ServiceError, type Handler, timestampOf } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { sign } from 'jsonwebtoken';
import { checkNotStronger, heldBy } from '../domain/client';
import { claimsOf, jtiOf, newToken } from '../domain/token';
import { namedClient, type Clients } from '../storage/clients';
import type { Tokens } from '../storage/tokens';

export function issueToken(deps: {
  clients: Clients;
  tokens: Tokens;
  sealer: { open(sealed: string): string };
  now: () => Date;
}): Handler<(typeof adminContracts)['issueToken']> {
  return async ({ params, body }, call) => {
    const held = heldBy(call);
    const { retailer } = call;
    const signal = deadlineSignal(call);
    const client = await namedClient(deps.clients, retailer, 'bearer', params.client_id, signal);
    checkNotStronger(held, client);
    if (client.revoked) throw new ServiceError(clientIsRevoked);
    const token = newToken(client, jtiOf(call.id), body?.expires_in, deps.now());
    // If the call is executed again, the same token is issued.
    const issued = await deps.tokens.add(retailer, client.id, token, signal);
    const secret = Buffer.from(deps.sealer.open(client.secret), 'base64');
    const text = sign(claimsOf(issued), secret, { algorithm: 'HS256', keyid: client.key });
    const { jti, expires } = issued;
    return { body: { token: text, jti, expires: expires && timestampOf(expires) } };
  };
}
