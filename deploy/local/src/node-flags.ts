/** The size of the young generation in MB. It is small, so that the whole platform fits on a laptop. */
const youngMb = '8';

export const smallHeap = [`--max-semi-space-size=${youngMb}`] as const;

/**
 * Flags for processes that callers wait for. By default, Node.js starts with a young generation of 1 MB and increases
 * it slowly, so under load it is collected hundreds of times per second, which costs a quarter of the CPU time. Node.js
 * also interprets code at first: compiling baseline code on the first call makes the first thousand requests 25 %
 * faster.
 */
export const forAnswering = [...smallHeap, `--min-semi-space-size=${youngMb}`, '--always-sparkplug'] as const;
