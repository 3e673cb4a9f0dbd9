import { clientIsRevoked } from '@receipts/contracts';
import { ServiceError, timestampOf } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { sign } from 'jsonwebtoken';
import type { HandlerOf, Registry } from '../open-registry';
import { checkNotStronger } from '../domain/client';
import { grantsOf } from '../domain/grants';
import { claimsOf, jtiOf, newToken } from '../domain/token';
import { namedClient } from '../storage/clients';

export function issueToken(deps: Registry): HandlerOf<'issueToken'> {
  return async ({ params, body }, call) => {
    const grants = grantsOf(call);
    const { retailer } = call;
    const signal = deadlineSignal(call);
    const client = await namedClient(deps.clients, retailer, 'bearer', params.client_id, signal);
    checkNotStronger(grants, client);
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
