import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Credential } from '@receipts/contracts';
import type { ClientSettings } from '@receipts/kernel';
import type { Caller } from './caller';

/** Unseals a secret. */
export type OpenSeal = (sealed: string) => string;

/** A credential that is ready to check requests. Immutable: an update replaces the object. */
export class KnownCredential {
  readonly revokedTokens: ReadonlySet<string>;
  /** The caller of a valid request with this credential. */
  readonly caller: Caller;
  readonly version: number;
  private key: KeyObject | undefined;

  constructor(
    readonly credential: Credential,
    private readonly openSeal: OpenSeal,
  ) {
    const { authentication, id, retailer, permissions, settings } = credential;
    this.version = credential.version;
    const principal = { kind: 'client' as const, id: `${authentication}:${id}` };
    this.revokedTokens = new Set(credential.revoked_tokens);
    this.caller = {
      principal,
      retailer,
      permissions,
      limitedAs: `${retailer}/${principal.id}`,
      ...(Object.keys(settings).length > 0 && { settings: settings as ClientSettings }),
    };
  }

  /**
   * The bytes of the shared secret. Unsealed at first use, as most credentials of a snapshot are never used in this
   * process.
   */
  get signingKey(): KeyObject {
    this.key ??= createSecretKey(Buffer.from(this.openSeal(this.credential.secret), 'base64'));
    return this.key;
  }
}
