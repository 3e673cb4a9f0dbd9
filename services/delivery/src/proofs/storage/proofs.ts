import { createHash } from 'node:crypto';
import { receiptDeletedError, type ProofPayload, type ReturnedReceipt } from '@receipts/contracts';
import { ServiceError, unavailable } from '@receipts/kernel';
import { isDuplicateKey, type CollectionDeclaration, canonicalJson } from '@receipts/storage';
import type { Collection } from 'mongodb';
import { signProof } from '../domain/jws';
import type { SigningKeys } from './signing-keys';

export interface ProofDocument {
  /** The id of the receipt. */
  readonly _id: string;
  readonly retailer: string;
  /** These are removed when the receipt is deleted. The rest is kept, so that `/verify` can still report the deletion. */
  readonly sha256?: string;
  readonly proof?: string;
}

export const proofsDeclaration: CollectionDeclaration = { name: 'proofs', indexes: [] };

const attemptsMax = 5;
const secondMs = 1_000;

/** The digest of a receipt, which a verifier computes from the JSON of `GET /receipts/{id}`. */
export function digestOf(receipt: object): string {
  const { checks: _, ...rest } = receipt as { checks?: unknown };
  return createHash('sha256').update(canonicalJson(rest)).digest('base64url');
}

function payloadOf(receipt: ReturnedReceipt, sha256: string, iss: string, now: Date): ProofPayload {
  const { id, retailer, store, transaction_id, timestamp, localtime, l10n, total, taxes, items } = receipt;
  return {
    iss,
    sub: id,
    iat: Math.floor(now.getTime() / secondMs),
    retailer: { name: retailer.name, vatno: retailer.vatno },
    transaction_id,
    timestamp,
    localtime,
    currency: l10n.currency,
    total,
    taxes: taxes.map(({ name, rate, amount }) => ({ name, rate, amount })),
    items_count: items.length,
    store: { name: store.name, city: store.city, country: store.country },
    sha256,
  };
}

export interface ProofsDependencies {
  readonly collection: Collection<ProofDocument>;
  readonly keys: Pick<SigningKeys, 'current'>;
  /** The public URL of the platform, without a slash at the end. */
  readonly publicUrl: string;
  readonly now: () => Date;
}

/** Issues proofs. A proof is stored, because an ES256 signature is different each time. */
export class Proofs {
  constructor(private readonly deps: ProofsDependencies) {}

  /** The proof of a receipt in its current state. The proof stays the same until the receipt changes. */
  async of(retailer: string, receipt: ReturnedReceipt): Promise<string> {
    const { collection, keys, publicUrl, now } = this.deps;
    const _id = receipt.id;
    const sha256 = digestOf(receipt);
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const found = await collection.findOne({ _id });
      // The receipt was deleted after it was read.
      if (found && found.proof === undefined) throw new ServiceError(receiptDeletedError);
      if (found?.proof !== undefined && found.sha256 === sha256) return found.proof;
      const { kid, privateKey } = await keys.current();
      const proof = signProof(payloadOf(receipt, sha256, publicUrl, now()), kid, privateKey);
      if (await this.save({ _id, retailer, sha256, proof }, found?.sha256)) return proof;
    }
    throw new ServiceError(unavailable, { internal: 'the receipt is being changed repeatedly' });
  }

  /** The retailer of a receipt for which a proof was issued. */
  async retailerOf(receiptId: string): Promise<string | undefined> {
    const found = await this.deps.collection.findOne({ _id: receiptId }, { projection: { retailer: 1 } });
    return found?.retailer;
  }

  /** Removes the proofs of deleted receipts. */
  async remove(retailer: string, receiptIds: readonly string[], signal: AbortSignal): Promise<void> {
    const filter = { _id: { $in: [...receiptIds] }, retailer };
    await this.deps.collection.updateMany(filter, { $unset: { sha256: '', proof: '' } }, { signal });
  }

  /** False if another process was faster. */
  private async save(document: Required<ProofDocument>, replaced: string | undefined): Promise<boolean> {
    const { collection } = this.deps;
    const { _id, sha256, proof } = document;
    if (replaced !== undefined) {
      const changed = await collection.updateOne({ _id, sha256: replaced }, { $set: { sha256, proof } });
      return changed.modifiedCount === 1;
    }
    try {
      await collection.insertOne(document);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }
}
