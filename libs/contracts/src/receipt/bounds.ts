import { isObject } from '../shared/schema-checks';

/** Larger receipts are not plausible. */
export const receiptItemsMax = 5_000;
/** The maximum total number of members in free-form objects (`properties`, `dynamic`), at all levels. */
export const receiptPropertiesMax = 10_000;

function membersWithin(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + membersWithin(item), 0);
  let members = 0;
  for (const member of Object.values(value)) members += 1 + membersWithin(member);
  return members;
}

/** The number of members in the free-form objects of a part of a receipt. */
function freeMembers(part: unknown): number {
  if (Array.isArray(part)) return part.reduce((sum: number, item) => sum + freeMembers(item), 0);
  if (!isObject(part)) return 0;
  let members = 0;
  for (const [name, member] of Object.entries(part)) {
    if (typeof member !== 'object' || member === null) continue;
    members += name === 'properties' || name === 'dynamic' ? membersWithin(member) : freeMembers(member);
  }
  return members;
}

/** An error message if a posted receipt exceeds a limit, otherwise undefined. */
export function tooManyInReceipt(receipt: unknown): string | undefined {
  if (!isObject(receipt)) return undefined;
  const { items } = receipt;
  if (Array.isArray(items) && items.length > receiptItemsMax)
    return `a receipt can have at most ${receiptItemsMax} items`;
  if (freeMembers(receipt) > receiptPropertiesMax)
    return `a receipt can have at most ${receiptPropertiesMax} properties in all`;
  return undefined;
}
