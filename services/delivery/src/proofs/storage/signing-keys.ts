import { createHash, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import type { PublicKey } from '@receipts/contracts';
import type { Sealer } from '@receipts/host';
import { ServiceError, unavailable } from '@receipts/kernel';
import { isDuplicateKey, type CollectionDeclaration } from '@receipts/storage';
import type { Collection } from 'mongodb';

export interface SigningKeyDocument {
  /** From 1; the highest number is the current key. */
  readonly _id: number;
  readonly kid: string;
  readonly publicKey: { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string };
  /** The private key as a JSON Web Key, sealed with the master key. */
  readonly privateKey: string;
  readonly createdAt: Date;
  /** The call that created the key. */
  readonly createdBy: string;
}

export const signingKeysDeclaration: CollectionDeclaration = {
  name: 'signing_keys',
  // Two processes that execute the same call create only one key.
  indexes: [{ name: 'by_call', key: { createdBy: 1 }, unique: true }],
};

/** Concurrent rotations take turns: one succeeds in each attempt. */
const attemptsMax = 32;

/** The keys with which proofs are signed. Every earlier key is kept, so that proofs signed with it can be verified. */
export class SigningKeys {
  constructor(
    private readonly collection: Collection<SigningKeyDocument>,
    private readonly sealer: Sealer,
    private readonly now: () => Date,
  ) {}

  /** Creates the first key. If several processes start at once, one creates it. */
  async ensureFirst(): Promise<void> {
    if (await this.newest()) return;
    await this.insert(1, 'start');
  }

  /** Creates the next key. @param callId retrying the same call creates no further key */
  async rotate(callId: string): Promise<string> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const created = await this.collection.findOne({ createdBy: callId });
      if (created) return created.kid;
      const newest = await this.newest();
      const kid = await this.insert((newest?._id ?? 0) + 1, callId);
      if (kid !== undefined) return kid;
    }
    throw new ServiceError(unavailable, { internal: 'other processes are rotating the keys' });
  }

  async current(): Promise<{ readonly kid: string; readonly privateKey: JsonWebKey }> {
    const newest = await this.newest();
    if (!newest) throw new ServiceError(unavailable, { internal: 'there is no signing key' });
    return { kid: newest.kid, privateKey: JSON.parse(this.sealer.open(newest.privateKey)) as JsonWebKey };
  }

  async find(kid: string): Promise<JsonWebKey | undefined> {
    return (await this.all()).find((key) => key.kid === kid)?.publicKey;
  }

  /** The public keys, the current key first. */
  async list(): Promise<PublicKey[]> {
    return (await this.all()).map(({ kid, publicKey }) => ({ ...publicKey, kid, alg: 'ES256', use: 'sig' }));
  }

  private all(): Promise<SigningKeyDocument[]> {
    return this.collection.find({}, { sort: { _id: -1 }, projection: { privateKey: 0 } }).toArray();
  }

  private newest(): Promise<SigningKeyDocument | null> {
    return this.collection.findOne({}, { sort: { _id: -1 } });
  }

  /** Undefined if the number is used, or if this call has already created a key. */
  private async insert(number: number, createdBy: string): Promise<string | undefined> {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' });
    const publicKey = { kty: 'EC', crv: 'P-256', x, y } as const;
    // The thumbprint of the key (RFC 7638).
    const members = JSON.stringify({ crv: publicKey.crv, kty: publicKey.kty, x, y });
    const kid = createHash('sha256').update(members).digest('base64url');
    const privateKey = this.sealer.seal(JSON.stringify(pair.privateKey.export({ format: 'jwk' })));
    try {
      await this.collection.insertOne({
        _id: number,
        kid,
        publicKey,
        privateKey,
        createdBy,
        createdAt: this.now(),
      });
      return kid;
    } catch (error) {
      if (isDuplicateKey(error)) return undefined;
      throw error;
    }
  }
}
