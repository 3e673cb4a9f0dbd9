import type { Criteria } from './find-rows';

export const receiptsPath = '/portal/';

/** The criteria of a list, as in its address. */
export type ListQuery = Criteria;

const names = ['query', 'store', 'from', 'to', 'mark', 'least', 'most', 'sort'] as const;

/** The criteria as the query of an address; fields without a value are left out. */
export function listParameters(query: ListQuery, change: Readonly<Record<string, string>> = {}): string {
  const kept = names.flatMap((name): [string, string][] => {
    const value = query[name];
    return value === undefined || value === '' ? [] : [[name, value]];
  });
  return new URLSearchParams([...kept, ...Object.entries(change)]).toString();
}

export const listAddress = (
  query: ListQuery,
  change: Readonly<Record<string, string>> = {},
  path: string = receiptsPath,
): string => `${path}?${listParameters(query, change)}`;
