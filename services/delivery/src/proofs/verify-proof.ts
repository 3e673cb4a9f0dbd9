import { receiptStoreContracts, type ProofPayload, type Verification } from '@receipts/contracts';
import { delegatedCall, unlessStatus, type Call } from '@receipts/kernel';
import type { ModuleDependencies } from '../module-dependencies';
import { readProof } from './domain/jws';
import { digestOf, type Proofs } from './storage/proofs';
import type { ProofSubmission } from './read-submission';
import type { SigningKeys } from './storage/signing-keys';

export interface VerifyDependencies extends Pick<ModuleDependencies, 'ask' | 'now'> {
  readonly keys: Pick<SigningKeys, 'find'>;
  readonly proofs: Pick<Proofs, 'retailerOf'>;
}

type Currency = Pick<Verification, 'current' | 'reason'>;

const invalid = (reason: NonNullable<Verification['reason']>): Verification => ({
  valid: false,
  reason,
  current: null,
});

/** Whether the receipt is unchanged since the proof was issued. */
async function currencyOf(payload: ProofPayload, call: Call, deps: VerifyDependencies): Promise<Currency> {
  const retailer = await deps.proofs.retailerOf(payload.sub);
  if (retailer === undefined) return { current: null };
  const inner = delegatedCall('delivery', { ...call, retailer }, deps.now().getTime());
  const input = { params: { id: payload.sub }, query: {} };
  const answer = await unlessStatus(deps.ask(receiptStoreContracts.getReceipt, input, inner), 404, 410);
  if (!answer) return { current: false, reason: 'deleted' };
  const { body: receipt } = answer;
  if (receipt.voided !== null) return { current: false, reason: 'voided' };
  return digestOf(receipt) === payload.sha256 ? { current: true } : { current: false, reason: 'changed' };
}

/** Verifies a proof, and its receipt if there is one. */
export async function verify(
  { proof, receipt }: ProofSubmission,
  call: Call,
  deps: VerifyDependencies,
): Promise<Verification> {
  const read = readProof(proof);
  if (!read) return invalid('malformed');
  const key = await deps.keys.find(read.kid);
  if (!key) return invalid('unknown_key');
  if (!read.isSignedWith(key)) return invalid('invalid_signature');
  const payload = read.payload as ProofPayload;
  const isOther = receipt === 'unreadable' || (receipt && digestOf(receipt) !== payload.sha256);
  if (isOther) return invalid('receipt_mismatch');
  return { valid: true, payload, ...(await currencyOf(payload, call, deps)) };
}
