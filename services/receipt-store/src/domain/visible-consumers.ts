import type { ReturnedReceipt } from '@receipts/contracts';

/**
 * The consumers whose receipts a caller may see: those of its credential, those in the request, or the intersection of
 * both. Undefined if the caller may see all.
 */
export function visibleConsumers(
  confined: readonly string[] | undefined,
  asked: readonly string[] | undefined,
): readonly string[] | undefined {
  if (confined === undefined || asked === undefined) return confined ?? asked;
  const allowed = new Set(confined);
  return asked.filter((consumer) => allowed.has(consumer));
}

/** Whether a caller with these consumers may see a receipt. */
export function isVisible(
  { identifier }: Pick<ReturnedReceipt, 'identifier'>,
  consumers: readonly string[] | undefined,
): boolean {
  return !consumers || (identifier !== null && consumers.includes(identifier));
}
