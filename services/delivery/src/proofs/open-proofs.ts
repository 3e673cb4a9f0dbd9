import type { Sealer } from '@receipts/host';
import type { ModuleDependencies } from '../module-dependencies';
import { Proofs, proofsDeclaration, type ProofDocument } from './storage/proofs';
import { SigningKeys, signingKeysDeclaration, type SigningKeyDocument } from './storage/signing-keys';

/** The proofs of receipts, and the keys that sign them. */
export async function openProofs(
  deps: ModuleDependencies & { readonly publicUrl: string; readonly sealer: Sealer },
) {
  const { database, sealer, publicUrl, ask, now } = deps;
  const keyCollection = await database.collection<SigningKeyDocument>(signingKeysDeclaration);
  const keys = new SigningKeys(keyCollection, sealer, now);
  await keys.ensureFirst();
  const collection = await database.collection<ProofDocument>(proofsDeclaration);
  return { keys, proofs: new Proofs({ collection, keys, publicUrl, now }), ask, now };
}
