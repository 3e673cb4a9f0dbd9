import { patchedReceipt, type PostedItem, type ReturnedReceipt } from '@receipts/contracts';
import { applyPatch, isSameJson, type Path } from '@receipts/json-patch';
import { check } from '@receipts/kernel';
import { returnOf } from './build-receipt';

/**
 * The members that a patch may change: `/identifier`, `/incomplete`, `/properties` and below, `/items/{n}/return` and
 * below.
 */
function isModifiable([field, index, member]: Path): boolean {
  if (field === 'properties') return true;
  if (field === 'items') return index !== undefined && member === 'return';
  return (field === 'identifier' || field === 'incomplete') && index === undefined;
}

/**
 * Applies a JSON Patch to a receipt in its returned form. Removed fields get their empty value, and new returns are
 * completed, as in a posted receipt.
 * @param patch parsed JSON from the caller
 * @throws ServiceError the errors of `applyPatch`, and 422 `schema_validation_failed` if the result is not a valid
 * receipt
 */
export function patchReceipt(receipt: ReturnedReceipt, patch: unknown): ReturnedReceipt {
  const result = applyPatch(receipt, patch, { isModifiable });
  const { identifier, incomplete, properties, items } = check(patchedReceipt, result);
  const zone = () => receipt.l10n.timezone;
  const returnAfter = (
    before: ReturnedReceipt['items'][number]['return'],
    after: PostedItem['return'],
  ): typeof before => {
    if (!after) return null;
    return isSameJson(before, after) ? before : returnOf(after, zone);
  };
  return {
    ...receipt,
    identifier: identifier ?? null,
    incomplete: incomplete ?? false,
    properties: properties ?? {},
    items: receipt.items.map((item, n) => ({ ...item, return: returnAfter(item.return, items[n]?.return) })),
  };
}
