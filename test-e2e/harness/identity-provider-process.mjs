// An OpenID Connect provider for tests. It prints its issuer, and then reads the addresses of its clients as JSON. Anybody
// can sign in with any address; addresses that begin with "unverified" are not verified.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import Provider from 'oidc-provider';

const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
process.stdout.write(`${issuer}\n`);
const [line] = await new Promise((resolve) =>
  createInterface({ input: process.stdin }).once('line', (text) => resolve([text])),
);
const { clientId, clientSecret, redirectUris } = JSON.parse(line);
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: redirectUris,
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  pkce: { required: () => true },
  claims: { email: ['email', 'email_verified'] },
  conformIdTokenClaims: false,
  cookies: { keys: ['a key for tests'] },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: id, email_verified: !id.startsWith('unverified') }),
  }),
});
server.on('request', provider.callback());
process.stdout.write('ready\n');
