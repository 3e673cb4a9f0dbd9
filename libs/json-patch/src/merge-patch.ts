function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * JSON Merge Patch, RFC 7396: members of the patch replace those of the document, objects member by member, and null takes
 * a member away. Neither argument is changed.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  // A Map, and entries that are defined rather than assigned, so that a member called __proto__ is only a member.
  const members = new Map<string, unknown>(isObject(document) ? Object.entries(document) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) members.delete(key);
    else members.set(key, applyMergePatch(members.get(key), value));
  }
  return Object.fromEntries(members);
}
