import { clientIsRevoked, type adminContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { sign } from 'jsonwebtoken';
import { checkNotStronger, heldBy } from '../domain/client';
import { timestampOf } from '../domain/timestamp';
import { claimsFor } from '../domain/token';
import { namedClient, type Clients } from '../storage/clients';
import type { Tokens } from '../storage/tokens';

export function issueToken(deps: {
  clients: Clients;
  tokens: Tokens;
  sealer: { open(sealed: string): string };
  newJti: () => string;
  now: () => Date;
}): Handler<(typeof adminContracts)['issueToken']> {
  return async ({ params, body }, call) => {
    const held = heldBy(call);
    const signal = deadlineSignal(call);
    const client = await namedClient(deps.clients, call.retailer, 'bearer', params.client_id, signal);
    checkNotStronger(held, client);
    if (client.revoked) throw new ServiceError(clientIsRevoked);
    const claims = claimsFor(client, deps.newJti(), body?.expires_in, deps.now());
    const { jti, iat, exp } = claims;
    const expires = exp === undefined ? null : new Date(exp * 1000);
    const secret = Buffer.from(deps.sealer.open(client.secret), 'base64');
    const token = sign(claims, secret, { algorithm: 'HS256', keyid: client.key });
    await deps.tokens.add(call.retailer, client.id, { jti, issued: new Date(iat * 1000), expires }, signal);
    return { body: { token, jti, expires: expires && timestampOf(expires) } };
  };
}
