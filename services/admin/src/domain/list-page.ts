/** The number of entries of a page unless the caller gives one. */
export const pageCountDefault = 100;

export interface ListPage<T> {
  readonly entries: readonly T[];
  readonly links: { next?: { href: string } };
}

/**
 * @param found one more than `count` if there are as many: it shows that there is another page
 * @param path of the list, relative to the base URL
 * @param cursorOf the value of `older=` that continues after an entry
 */
export function listPage<T>(
  found: readonly T[],
  count: number,
  path: string,
  cursorOf: (entry: T) => string,
): ListPage<T> {
  const entries = found.slice(0, count);
  const last = found.length > count ? entries.at(-1) : undefined;
  if (last === undefined) return { entries, links: {} };
  const href = `${path}?count=${count}&older=${encodeURIComponent(cursorOf(last))}`;
  return { entries, links: { next: { href } } };
}
