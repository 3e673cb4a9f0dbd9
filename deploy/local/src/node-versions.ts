const fasterMajor = 24;

/** Recommends Node.js 24 on older versions; `docs/reports/bench.md` has the figures. */
export function nodeVersionHint(version: string): string | undefined {
  if (Number.parseInt(version, 10) >= fasterMajor) return undefined;
  return `Node.js ${fasterMajor} is up to 20 % faster than this version (${version}).`;
}
