/** The default number of entries per page. */
export const pageCountDefault = 100;

export interface ListPage<T> {
  readonly entries: T[];
  readonly links: { next?: { href: string } };
}

/**
 * One page of a list that is read with `?count=&older=`.
 * @param found up to `count` + 1 entries; the extra one shows that there is another page
 * @param path of the list, relative to the base URL
 * @param cursorOf the value of `older=` that continues after an entry
 * @param parameters of the list that the link repeats
 */
export function listPage<T>(
  found: readonly T[],
  count: number,
  path: string,
  cursorOf: (entry: T) => string,
  parameters: Readonly<Record<string, string | undefined>> = {},
): ListPage<T> {
  const entries = found.slice(0, count);
  const last = found.length > count ? entries.at(-1) : undefined;
  if (last === undefined) return { entries, links: {} };
  const query = new URLSearchParams({ count: String(count), older: cursorOf(last) });
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return { entries, links: { next: { href: `${path}?${query.toString()}` } } };
}
