/**
 * The edits of `~` without a number: 0 for up to 2 letters, 1 for up to 5, and 2 beyond, as in Elasticsearch's AUTO.
 */
export function automaticEdits(word: string): 0 | 1 | 2 {
  const length = [...word].length;
  return length <= 2 ? 0 : length <= 5 ? 1 : 2;
}

/**
 * True if at most `edits` insertions, deletions, replacements or transpositions of neighbours turn `a` into `b`
 * (Damerau-Levenshtein distance, optimal string alignment, by code points). Only the diagonal band that can be within
 * the limit is computed.
 */
export function withinEdits(a: string, b: string, edits: number): boolean {
  if (a === b) return true;
  if (edits === 0) return false;
  const from = [...a];
  const to = [...b];
  if (Math.abs(from.length - to.length) > edits) return false;
  const far = edits + 1;
  let beforeLast: number[] = [];
  let last = to.map((_, j) => (j < edits ? j + 1 : far));
  last.unshift(0);
  for (let i = 1; i <= from.length; i++) {
    const row = new Array<number>(to.length + 1).fill(far);
    row[0] = Math.min(i, far);
    let least = row[0];
    const end = Math.min(to.length, i + edits);
    for (let j = Math.max(1, i - edits); j <= end; j++) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1;
      let cost = Math.min(last[j - 1]! + same, last[j]! + 1, row[j - 1]! + 1, far);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      }
      row[j] = cost;
      least = Math.min(least, cost);
    }
    // A transposition depends on the row two above, so the search may end only after two rows beyond the limit.
    if (least >= far && Math.min(...last) >= far) return false;
    beforeLast = last;
    last = row;
  }
  return last[to.length]! <= edits;
}
