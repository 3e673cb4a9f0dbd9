import { isObject } from './fields';

/** A receipt of more lines is a list of something else. */
export const receiptItemsMax = 5_000;
/** The members of all free objects (`properties`, `dynamic`) together, at every depth. */
export const receiptPropertiesMax = 10_000;

function membersWithin(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + membersWithin(item), 0);
  let members = 0;
  for (const member of Object.values(value)) members += 1 + membersWithin(member);
  return members;
}

/** The members of the free objects in a part of a receipt. */
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

/** Says of what a posted receipt has too many; undefined when it keeps within its bounds. */
export function tooManyInReceipt(receipt: unknown): string | undefined {
  if (!isObject(receipt)) return undefined;
  const { items } = receipt;
  if (Array.isArray(items) && items.length > receiptItemsMax)
    return `a receipt has at most ${receiptItemsMax} items`;
  if (freeMembers(receipt) > receiptPropertiesMax)
    return `a receipt has at most ${receiptPropertiesMax} properties in all`;
  return undefined;
}
