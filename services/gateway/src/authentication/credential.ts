import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Credential } from '@receipts/contracts';
import type { ClientSettings } from '@receipts/kernel';
import { permissionsOf, type Caller } from './caller';

/** Unseals a secret. */
export type OpenSeal = (sealed: string) => string;

/** A credential that is ready to check requests. It never changes: an update puts another in its place. */
export class KnownCredential {
  readonly revokedTokens: ReadonlySet<string>;
  /** What a good request with this credential may do. */
  readonly caller: Caller;
  private key: KeyObject | undefined;

  constructor(
    readonly credential: Credential,
    private readonly openSeal: OpenSeal,
  ) {
    const { authentication, id, retailer, permissions, settings } = credential;
    const principal = { kind: 'client' as const, id: `${authentication}:${id}` };
    this.revokedTokens = new Set(credential.revoked_tokens);
    this.caller = {
      principal,
      retailer,
      permissions: permissionsOf(permissions),
      limitedAs: `${retailer}/${principal.id}`,
      ...(Object.keys(settings).length > 0 && { settings: settings as ClientSettings }),
    };
  }

  /** The shared secret's bytes. Unsealed at the first use: most credentials of a snapshot are never used here. */
  get signingKey(): KeyObject {
    this.key ??= createSecretKey(Buffer.from(this.openSeal(this.credential.secret), 'base64'));
    return this.key;
  }
}
