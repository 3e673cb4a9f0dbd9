/** The filters of a list as given by the caller. */
export interface ListFilters {
  readonly consumer?: readonly string[] | undefined;
  readonly id?: readonly string[] | undefined;
  readonly store_id?: readonly string[] | undefined;
  readonly store_reference?: readonly string[] | undefined;
  readonly transaction_id?: readonly string[] | undefined;
  readonly count: number;
  readonly pretty?: boolean | undefined;
}

export type CursorName = 'newer' | 'next' | 'prev';

/**
 * A link to a list, relative to the base URL. It contains the filters but no credentials. Values of one filter are
 * joined by commas, as in the signed `consumer`.
 */
export function listHref(filters: ListFilters, cursor?: readonly [CursorName, string]): string {
  const { consumer, id, store_id, store_reference, transaction_id, count, pretty } = filters;
  const vectors = { consumer, id, store_id, store_reference, transaction_id };
  const parameters = Object.entries(vectors).flatMap(([name, values]) =>
    values === undefined ? [] : [`${name}=${values.map(encodeURIComponent).join(',')}`],
  );
  parameters.push(`count=${count}`);
  if (pretty) parameters.push('pretty=true');
  if (cursor) parameters.push(`${cursor[0]}=${encodeURIComponent(cursor[1])}`);
  return `/receipts?${parameters.join('&')}`;
}
