import { identifierNotFound } from '@receipts/contracts';
import { ServiceError, type Call } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { Dependencies } from './dependencies';

/**
 * An identifier and its totals, which are stored separately.
 * @throws ServiceError 404, also if the credential is restricted to other consumers
 */
export async function findIdentifier(
  { identifiers, contributions }: Dependencies,
  identifier: string,
  call: Call,
) {
  const { retailer, consumers } = call;
  if (consumers && !consumers.includes(identifier)) throw new ServiceError(identifierNotFound);
  const signal = deadlineSignal(call);
  const [record, totals] = await Promise.all([
    identifiers.find(retailer, identifier, signal),
    contributions.totals(retailer, [identifier], signal),
  ]);
  if (!record) throw new ServiceError(identifierNotFound);
  return { record, totals: totals.get(identifier) };
}
