const comma = Buffer.from(',');

/** Joins the JSON of receipts with commas, and adds what precedes and follows them. */
export function joinJson(
  before: string,
  receipts: readonly { readonly text: Buffer }[],
  after: string,
): Buffer {
  const texts = receipts.flatMap(({ text }, i) => (i === 0 ? [text] : [comma, text]));
  return Buffer.concat([Buffer.from(before), ...texts, Buffer.from(after)]);
}
