/**
 * Equality as defined by RFC 6902 section 4.6: numbers by value, arrays in order, objects regardless of the order of
 * their members.
 */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, n) => isSameJson(item, other[n]));
  }
  const members = Object.entries(one);
  if (members.length !== Object.keys(other).length) return false;
  return members.every(
    ([key, value]) => Object.hasOwn(other, key) && isSameJson(value, (other as Record<string, unknown>)[key]),
  );
}
