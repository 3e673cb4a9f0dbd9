const comma = Buffer.from(',');

/** The JSON texts of receipts with commas between them, and what comes before and after them. */
export function joinJson(
  before: string,
  receipts: readonly { readonly text: Buffer }[],
  after: string,
): Buffer {
  const texts = receipts.flatMap(({ text }, i) => (i === 0 ? [text] : [comma, text]));
  return Buffer.concat([Buffer.from(before), ...texts, Buffer.from(after)]);
}
