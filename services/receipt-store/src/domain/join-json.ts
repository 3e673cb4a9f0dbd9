const comma = Buffer.from(',');

/** Joins the JSON of receipts with commas, between a prefix and a suffix. */
export function joinJson(
  before: string,
  receipts: readonly { readonly text: Buffer }[],
  after: string,
): Buffer {
  const texts = receipts.flatMap(({ text }, i) => (i === 0 ? [text] : [comma, text]));
  return Buffer.concat([Buffer.from(before), ...texts, Buffer.from(after)]);
}
