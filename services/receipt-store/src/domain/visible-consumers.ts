/**
 * The consumers whose receipts a caller may see: those of its credential, those that it asked for, or what both have in
 * common. Undefined when it may see all.
 */
export function visibleConsumers(
  confined: readonly string[] | undefined,
  asked: readonly string[] | undefined,
): readonly string[] | undefined {
  if (confined === undefined || asked === undefined) return confined ?? asked;
  const allowed = new Set(confined);
  return asked.filter((consumer) => allowed.has(consumer));
}
