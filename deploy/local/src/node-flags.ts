/** The size of a semi-space in MB: half of the young generation's smallest size. */
const semiSpaceMb = 8;

/** Flags for processes that callers rarely wait for. They are small, so that the whole platform fits on a laptop. */
export const smallHeap = [`--max-semi-space-size=${semiSpaceMb}`] as const;

/**
 * Flags for processes that callers wait for. By default, Node.js starts with a young generation of 1 MB and increases
 * it slowly, so under load it is collected hundreds of times per second, which costs a quarter of the CPU time. Parallel
 * collection saves no CPU time and takes it from other processes, so one thread collects. Node.js also interprets code
 * at first: compiling baseline code on the first call makes the first thousand requests 25 % faster.
 * @param maxMb the maximum size of a semi-space, reached under load
 */
export const forAnswering = (maxMb = semiSpaceMb): readonly string[] => [
  `--min-semi-space-size=${semiSpaceMb}`,
  `--max-semi-space-size=${maxMb}`,
  '--no-parallel-scavenge',
  '--always-sparkplug',
];

/**
 * Batches of packets or receipts are in memory for a while. This saves 15 % of the CPU time of receipt-store, and 10 %
 * of that of ingest and transform (November 2026).
 */
export const forBatches = forAnswering(32);
