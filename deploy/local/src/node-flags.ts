/** The young generation, megabytes. Small ones keep the whole platform on a laptop. */
const youngMb = '8';

export const smallHeap = [`--max-semi-space-size=${youngMb}`] as const;

/**
 * For those on whom a caller waits. Node begins with a young generation of a megabyte and grows it slowly, so that the
 * garbage of requests is collected hundreds of times a second, which costs a quarter of the processor time. And it
 * interprets what it has not met often: baseline code from the first call on makes the first thousand requests a quarter
 * faster.
 */
export const forAnswering = [...smallHeap, `--min-semi-space-size=${youngMb}`, '--always-sparkplug'] as const;
