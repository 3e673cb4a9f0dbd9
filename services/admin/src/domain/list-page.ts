/** How many entries a page has when the caller does not say. */
export const pageCountDefault = 100;

export interface ListPage<T> {
  readonly entries: readonly T[];
  readonly links: { next?: { href: string } };
}

/**
 * @param found one more than `count`, where there are so many: it tells whether anything follows
 * @param path of the list, relative to the base URL
 * @param cursorOf what `older=` must say to go on after an entry
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
