import { createSecretKey, type KeyObject } from 'node:crypto';
import type { ClientSettings } from '@receipts/kernel';
import { permissionsOf, type Caller } from './caller';

/** A client's credential as admin keeps it. */
export interface Credential {
  readonly retailer: string;
  readonly authentication: 'bearer' | 'hmac';
  readonly id: number;
  /** The `kid` of bearer tokens, the `key` of URL signatures. */
  readonly key: string;
  readonly version: number;
  /** The shared secret in base64, sealed. */
  readonly secret: string;
  readonly permissions: readonly string[];
  readonly revoked: boolean;
  /** Seconds that a URL signature may live; null takes the most that there is. */
  readonly signature_max_age: number | null;
  readonly settings: ClientSettings;
  /** The `jti` of tokens that were revoked one by one. */
  readonly revoked_tokens: readonly string[];
  /** Epoch seconds: tokens that were issued before are revoked. */
  readonly tokens_revoked_before: number | null;
}

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
      ...(Object.keys(settings).length > 0 && { settings }),
    };
  }

  /** The shared secret's bytes. Unsealed at the first use: most credentials of a snapshot are never used here. */
  get signingKey(): KeyObject {
    this.key ??= createSecretKey(Buffer.from(this.openSeal(this.credential.secret), 'base64'));
    return this.key;
  }
}
