/**
 * The format of stored receipts. Stored receipts are not rewritten when the format changes: a receipt in an earlier
 * format is converted step by step when it is read, so that all other code handles only the current format. `npm run
 * reindex` rewrites it.
 */

/** A parsed receipt. */
type Json = Readonly<Record<string, unknown>>;

/** Converts a receipt from one format to the next. Pure. */
export type Upcast = (receipt: Json) => Json;

interface StoredForm {
  /** JSON. */
  readonly text?: string;
  readonly form?: number;
}

/**
 * `upcasts[n]` converts from format `n + 1` to format `n + 2`. Append a function here for a new format, with a case in
 * the test.
 */
const upcasts: readonly Upcast[] = [];

/** The format in which receipts are written. */
export const receiptForm = upcasts.length + 1;

/**
 * Returns the same document if its receipt has the current or a later format; otherwise a copy with the converted
 * receipt. Documents without text, such as deleted receipts, are returned unchanged.
 */
export const inPresentForm = <D extends StoredForm>(stored: D): D => converted(stored, upcasts);

export function converted<D extends StoredForm>(stored: D, steps: readonly Upcast[]): D {
  const { text, form = 1 } = stored;
  if (text === undefined || form > steps.length) return stored;
  const receipt = steps
    .slice(form - 1)
    .reduce((earlier, upcast) => upcast(earlier), JSON.parse(text) as Json);
  return { ...stored, text: JSON.stringify(receipt), form: steps.length + 1 };
}
