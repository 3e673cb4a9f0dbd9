import type * as OpenId from 'openid-client' with { 'resolution-mode': 'import' };
import { z } from 'zod';

const name = z.string().regex(/^[a-z0-9-]{1,40}$/);

/** The identity providers of an installation, keyed by the names that settings refer to. */
export const identityProviderSettings = z.record(
  name,
  z.strictObject({
    issuer: z.url({ protocol: /^https?$/ }),
    client_id: z.string().min(1),
    /** Absent for a public client, which proves itself by PKCE alone. */
    client_secret: z.string().min(1).optional(),
  }),
);

export type IdentityProviderSettings = z.output<typeof identityProviderSettings>;

/** What the browser keeps between leaving for the provider and returning from it. */
export interface PendingSignIn {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Why a provider's answer does not sign anybody in. */
export class IdentityFault extends Error {}

const timeoutSeconds = 10;

/** Signs people in with OpenID Connect: authorization code, PKCE, state and nonce. */
export class IdentityProviders {
  private readonly configurations = new Map<string, Promise<OpenId.Configuration>>();

  constructor(private readonly settings: IdentityProviderSettings) {}

  has(provider: string): boolean {
    return Object.hasOwn(this.settings, provider);
  }

  /** @returns the address to which the browser is sent, and what it must keep meanwhile */
  async begin(
    provider: string,
    redirectUri: string,
  ): Promise<{ readonly address: string; readonly pending: PendingSignIn }> {
    const openId = await import('openid-client');
    const configuration = await this.configurationOf(provider);
    const [state, nonce, verifier] = [
      openId.randomState(),
      openId.randomNonce(),
      openId.randomPKCECodeVerifier(),
    ];
    const address = openId.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid email',
      state,
      nonce,
      code_challenge: await openId.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { address: address.href, pending: { provider, state, nonce, verifier } };
  }

  /**
   * The verified e-mail address of the person whom the provider has signed in.
   * @param answer the query with which the provider has redirected to `redirectUri`
   * @throws IdentityFault if the answer is an error, or does not belong to this sign-in
   */
  async finish(
    answer: Readonly<Record<string, string | undefined>>,
    redirectUri: string,
    pending: PendingSignIn,
  ): Promise<string> {
    const returned = new URL(redirectUri);
    for (const [name, value] of Object.entries(answer)) {
      if (value !== undefined) returned.searchParams.set(name, value);
    }
    const openId = await import('openid-client');
    const configuration = await this.configurationOf(pending.provider);
    try {
      const tokens = await openId.authorizationCodeGrant(configuration, returned, {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      // Addresses that the provider has not verified may belong to somebody else.
      if (typeof claims?.['email'] === 'string' && claims['email_verified'] === true) return claims['email'];
    } catch (error) {
      throw new IdentityFault('the identity provider did not confirm the sign-in', { cause: error });
    }
    throw new IdentityFault('the identity provider did not confirm an e-mail address');
  }

  private configurationOf(provider: string): Promise<OpenId.Configuration> {
    const known = this.configurations.get(provider);
    if (known) return known;
    const discovered = this.discover(provider);
    this.configurations.set(provider, discovered);
    // The provider may be reachable again the next time.
    discovered.catch(() => this.configurations.delete(provider));
    return discovered;
  }

  private async discover(provider: string): Promise<OpenId.Configuration> {
    const settings = this.settings[provider];
    if (!settings) throw new IdentityFault('there is no such identity provider');
    const openId = await import('openid-client');
    const { issuer, client_id: clientId, client_secret: secret } = settings;
    const server = new URL(issuer);
    const authentication = secret === undefined ? openId.None() : openId.ClientSecretPost(secret);
    // An issuer without TLS is the operator's decision, for example on a private network or in a test.
    const execute = server.protocol === 'http:' ? [openId.allowInsecureRequests] : [];
    try {
      return await openId.discovery(server, clientId, secret, authentication, {
        execute,
        timeout: timeoutSeconds,
      });
    } catch (error) {
      throw new IdentityFault('the identity provider is not available', { cause: error });
    }
  }
}
