/** The number of entries of a page unless the caller gives one. */
export const pageCountDefault = 100;

/**
 * @param found one more than `count` if there are as many: it shows that there is another page
 * @param path of the list, relative to the base URL
 * @param parameters of the list, which the link repeats
 */
export function listPage<T extends { readonly id: string }>(
  found: readonly T[],
  count: number,
  path: string,
  parameters: Readonly<Record<string, string | undefined>> = {},
): { entries: T[]; links: { next?: { href: string } } } {
  const entries = found.slice(0, count);
  const last = found.length > count ? entries.at(-1) : undefined;
  if (last === undefined) return { entries, links: {} };
  const query = new URLSearchParams({ count: String(count), older: last.id });
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return { entries, links: { next: { href: `${path}?${query.toString()}` } } };
}
