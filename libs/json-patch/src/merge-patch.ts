function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * JSON Merge Patch, RFC 7396: members of the patch replace those of the document, objects are merged recursively, and
 * null removes a member. The arguments are not changed.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  // A Map and `fromEntries` define members instead of assigning them, so that `__proto__` is an ordinary member.
  const members = new Map<string, unknown>(isObject(document) ? Object.entries(document) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) members.delete(key);
    else members.set(key, applyMergePatch(members.get(key), value));
  }
  return Object.fromEntries(members);
}
